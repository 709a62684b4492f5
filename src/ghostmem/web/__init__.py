"""The web interface: REST at /api/v1, the viewer at /, health and metrics.

Data flow of a request:
    serve.py and connections.py listen and limit waiting connections
    app.py joins the layers: logs.py traces, guard.py checks host, origin and size,
    auth.py finds the caller (session.py for cookies), rate.py limits them
    pages.py serves the viewer's files and the sign-in page, events.py its live updates
    api.py finds a route, checks its fields and calls its function
    routes.py and viewer_routes.py are the tables of routes; route.py is one route with its fields
    decisions.py, flow.py, graph_view.py, home.py, overview.py and shape.py compute
    views for people
    refusals.py turns errors into responses, openapi.py describes the routes
"""
