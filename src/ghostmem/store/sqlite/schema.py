"""The tables, as named migrations in order; a database records the names of those it has.

Migrations only add, so that data of an older Ghost stays readable. A database with a name that
is unknown here was written by a newer Ghost and is opened read-only."""

from ghostmem.store.tables import additions

_TYPES = {"": "TEXT", "int": "INTEGER", "flag": "INTEGER", "share": "REAL"}

# The words of the chunks: terms that are no numbers, codes or paths (`text.spelling.is_word`).
CHUNK_WORDS = r"""
SELECT DISTINCT c.ns_id, t.value AS word
FROM chunks c, json_each('["' || replace(replace(c.terms, '\', '\\'), ' ', '","') || '"]') t
WHERE length(t.value) BETWEEN 3 AND 40 AND t.value NOT GLOB '*[0-9_./:@#+\]*'
"""

FULL_TEXT = """
CREATE VIRTUAL TABLE chunks_fts USING fts5 (text, content='', contentless_delete=1, detail=none,
  tokenize='ascii');
CREATE VIRTUAL TABLE chunks_tri USING fts5 (text, content='', contentless_delete=1, detail=none,
  tokenize='trigram');
"""

APPLICATION_ID = 0x47686F73  # "Ghos", so that `file` and we can tell whose database this is

MIGRATIONS: dict[str, str] = {
    "0001_initial": f"""
CREATE TABLE namespaces (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  token TEXT NOT NULL UNIQUE,
  sequence INTEGER NOT NULL DEFAULT 0,
  chunks INTEGER NOT NULL DEFAULT 0,
  length INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE threads (
  id INTEGER PRIMARY KEY,
  ns_id INTEGER NOT NULL,
  scope TEXT NOT NULL,
  chunks INTEGER NOT NULL DEFAULT 0,
  length INTEGER NOT NULL DEFAULT 0,
  UNIQUE (ns_id, scope)
) STRICT;

CREATE TABLE memories (
  id TEXT PRIMARY KEY NOT NULL,
  ns TEXT NOT NULL,
  key TEXT NOT NULL,
  content TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'semantic',
  tags TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  supersedes TEXT,
  created_at TEXT NOT NULL,
  deleted_at TEXT,
  priority TEXT NOT NULL DEFAULT 'normal',
  access_count INTEGER NOT NULL DEFAULT 0,
  last_accessed_at TEXT,
  meta TEXT,
  expires_at TEXT,
  importance REAL NOT NULL DEFAULT 0.5,
  utility_count INTEGER NOT NULL DEFAULT 0,
  tier TEXT NOT NULL DEFAULT 'stm',
  est_tokens INTEGER NOT NULL DEFAULT 0,
  pinned INTEGER NOT NULL DEFAULT 0,
  source_user TEXT,
  source_kind TEXT,
  source_scope TEXT,
  source_client TEXT,
  valid_from TEXT,
  valid_to TEXT,
  recorded_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX memories_version ON memories (ns, key, version);
CREATE UNIQUE INDEX memories_live ON memories (ns, key) WHERE deleted_at IS NULL;
CREATE INDEX memories_newest ON memories (ns, created_at) WHERE deleted_at IS NULL;
CREATE INDEX memories_expires ON memories (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_source ON memories (ns, source_user)
  WHERE source_user IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX memories_pinned ON memories (ns) WHERE pinned = 1 AND deleted_at IS NULL;

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  start INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  terms TEXT NOT NULL,
  length INTEGER NOT NULL,
  chunker TEXT NOT NULL,
  ns_id INTEGER NOT NULL,
  thread_id INTEGER,
  place TEXT
) STRICT;
CREATE UNIQUE INDEX chunks_memory ON chunks (memory_id, seq);
CREATE INDEX chunks_thread ON chunks (thread_id, place) WHERE thread_id IS NOT NULL;
{FULL_TEXT}

CREATE TABLE models (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  chunker TEXT NOT NULL,
  UNIQUE (name, dimension, chunker)
) STRICT;

CREATE TABLE vectors (
  model_id INTEGER NOT NULL,
  ns_id INTEGER NOT NULL,
  chunk_id INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
  vector BLOB NOT NULL,
  PRIMARY KEY (model_id, ns_id, chunk_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX vectors_chunk ON vectors (chunk_id);

CREATE TABLE memory_edges (
  from_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  rel TEXT NOT NULL,
  weight REAL NOT NULL DEFAULT 0.5,
  access_count INTEGER NOT NULL DEFAULT 0,
  last_accessed_at TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (from_id, to_id, rel)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_edges_to ON memory_edges (to_id);

CREATE TABLE memory_links (
  from_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  rel TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (from_id, to_id, rel)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_links_to ON memory_links (to_id);

CREATE TABLE memory_files (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  rel TEXT NOT NULL DEFAULT 'modified',
  created_at TEXT NOT NULL,
  PRIMARY KEY (memory_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_files_path ON memory_files (path);

CREATE TABLE reflect_rules (
  id TEXT PRIMARY KEY NOT NULL,
  ns TEXT NOT NULL DEFAULT '',
  name TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 50,
  scope TEXT NOT NULL DEFAULT 'reflect',
  created_by TEXT NOT NULL DEFAULT 'system',
  cond_tier TEXT,
  cond_age_gt_hours REAL,
  cond_importance_lt REAL,
  cond_access_lt INTEGER,
  cond_access_gt INTEGER,
  cond_utility_lt REAL,
  cond_kind TEXT,
  cond_tag_includes TEXT,
  cond_similarity_gt REAL,
  cond_unaccessed_gt_hours REAL,
  action_op TEXT NOT NULL,
  action_params TEXT,
  rule_expires_at TEXT,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE changes (
  ns_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  memory_id TEXT NOT NULL,
  op TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (ns_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE accesses (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  used INTEGER NOT NULL DEFAULT 0,
  shown INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (memory_id, day)
) STRICT, WITHOUT ROWID;
""",
    "0002_graph": """
CREATE TABLE inferences (
  from_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  answer TEXT NOT NULL,
  model TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (from_id, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX inferences_to ON inferences (to_id);

CREATE TABLE unlinked (
  memory_id TEXT PRIMARY KEY NOT NULL REFERENCES memories (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
""",
    "0003_lifecycle": """
CREATE TABLE runs (
  id TEXT PRIMARY KEY NOT NULL,
  verb TEXT NOT NULL,
  scope TEXT NOT NULL,
  at TEXT NOT NULL,
  place TEXT NOT NULL DEFAULT '',
  holder TEXT NOT NULL DEFAULT '',
  finished_at TEXT,
  undone_at TEXT,
  report TEXT NOT NULL DEFAULT '{}'
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  ns TEXT NOT NULL,
  subject TEXT NOT NULL,
  rule TEXT NOT NULL,
  op TEXT NOT NULL,
  hash TEXT NOT NULL,
  before TEXT,
  after TEXT,
  done INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO reflect_rules (id, name, priority, cond_tier, cond_age_gt_hours,
  cond_access_lt, cond_access_gt,
  cond_utility_lt, cond_similarity_gt, cond_unaccessed_gt_hours, action_op, action_params,
    created_at) VALUES
  ('sys-promote-sensory', 'sys-promote-sensory', 96, 'sensory', 1, NULL, 1, NULL, NULL, NULL,
    'PROMOTE', '{"to_tier": "stm"}', '2026-01-01T00:00:00.000000Z'),
  ('sys-decay-sensory', 'sys-decay-sensory', 95, 'sensory', 4, NULL, NULL, NULL, NULL, NULL,
    'DELETE', NULL, '2026-01-01T00:00:00.000000Z'),
  ('sys-prune-low-utility', 'sys-prune-low-utility', 90, NULL, NULL, NULL, 20, 0.05, NULL, NULL,
    'DEMOTE', '{"to_tier": "dormant"}', '2026-01-01T00:00:00.000000Z'),
  ('sys-promote-to-ltm', 'sys-promote-to-ltm', 50, 'stm', 72, NULL, 50, NULL, NULL, NULL,
    'PROMOTE', '{"to_tier": "ltm"}', '2026-01-01T00:00:00.000000Z'),
  ('sys-demote-stale-ltm', 'sys-demote-stale-ltm', 50, 'ltm', NULL, NULL, NULL, NULL, NULL, 168,
    'DEMOTE', '{"to_tier": "dormant"}', '2026-01-01T00:00:00.000000Z'),
  ('sys-merge-similar', 'sys-merge-similar', 40, 'stm', NULL, NULL, NULL, NULL, 0.9, NULL,
    'LINK', '{"strategy": "link_only"}', '2026-01-01T00:00:00.000000Z'),
  ('sys-dedup-all', 'sys-dedup-all', 35, NULL, NULL, NULL, NULL, NULL, 0.92, NULL, 'DEDUP',
    '{"strategy": "dedup"}', '2026-01-01T00:00:00.000000Z'),
  ('sys-decay-unaccessed', 'sys-decay-unaccessed', 10, 'stm', 48, 10, NULL, NULL, NULL, NULL,
    'DECAY', '{"factor": 0.95, "min": 0.1}', '2026-01-01T00:00:00.000000Z');
""",
    "0004_tokens": """
CREATE TABLE tokens (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  grants TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  last_used_at TEXT
) STRICT, WITHOUT ROWID;
""",
    "0005_notes": """
CREATE TABLE note_folders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  root TEXT NOT NULL,
  layout TEXT NOT NULL,
  ns TEXT NOT NULL,
  added_at TEXT NOT NULL,
  reconciled_at TEXT,
  unavailable TEXT NOT NULL DEFAULT '',
  UNIQUE (root, layout)
) STRICT;

CREATE TABLE notes (
  folder_id INTEGER NOT NULL REFERENCES note_folders (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  hash TEXT NOT NULL,
  names TEXT NOT NULL DEFAULT '',
  problem TEXT NOT NULL DEFAULT '',
  missing_at TEXT,
  PRIMARY KEY (folder_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE note_sections (
  memory_id TEXT PRIMARY KEY NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  note_id TEXT NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  line INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX note_sections_note ON note_sections (note_id);
CREATE INDEX note_sections_hash ON note_sections (hash);

CREATE TABLE note_links (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  word TEXT NOT NULL,
  target TEXT NOT NULL,
  to_id TEXT REFERENCES memories (id) ON DELETE SET NULL,
  PRIMARY KEY (memory_id, word, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_links_to ON note_links (to_id);

CREATE TABLE spare_vectors (
  model_id INTEGER NOT NULL REFERENCES models (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  vector BLOB NOT NULL,
  left_at TEXT NOT NULL,
  PRIMARY KEY (hash, model_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX chunks_plain ON chunks (ns_id) WHERE chunker = '';

CREATE TABLE mirrors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  root TEXT NOT NULL UNIQUE,
  layout TEXT NOT NULL,
  ns TEXT NOT NULL,
  added_at TEXT NOT NULL
) STRICT;

CREATE TABLE mirror_items (
  mirror_id INTEGER NOT NULL REFERENCES mirrors (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  path TEXT NOT NULL,
  hash TEXT NOT NULL,
  tags TEXT NOT NULL DEFAULT '[]',
  about TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (mirror_id, key)
) STRICT, WITHOUT ROWID;
""",
    "0006_outline": """
CREATE TABLE outline_files (
  root TEXT NOT NULL,
  language TEXT NOT NULL,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  seen_ns INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (root, language, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE outline_facts (
  hash TEXT NOT NULL,
  maker TEXT NOT NULL,
  facts BLOB NOT NULL,
  PRIMARY KEY (hash, maker)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_symbols (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  root TEXT NOT NULL,
  language TEXT NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  hash TEXT NOT NULL,
  rel TEXT NOT NULL DEFAULT 'modified',
  created_at TEXT NOT NULL,
  PRIMARY KEY (memory_id, root, language, name, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_symbols_root ON memory_symbols (root);
""",
    "0007_truth": """
ALTER TABLE memory_edges ADD COLUMN automatic INTEGER NOT NULL DEFAULT 0;
ALTER TABLE namespaces ADD COLUMN head TEXT;
ALTER TABLE changes ADD COLUMN actor TEXT;
ALTER TABLE changes ADD COLUMN hash TEXT;
ALTER TABLE changes ADD COLUMN line INTEGER;
CREATE INDEX memories_closed ON memories (ns, valid_to)
  WHERE valid_to IS NOT NULL AND deleted_at IS NULL;

CREATE TABLE aliases (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  content TEXT NOT NULL,
  at TEXT NOT NULL,
  source_user TEXT,
  source_kind TEXT,
  source_scope TEXT,
  source_client TEXT,
  PRIMARY KEY (memory_id, content)
) STRICT, WITHOUT ROWID;

CREATE TABLE quarantine (
  id TEXT PRIMARY KEY NOT NULL,
  ns TEXT NOT NULL,
  key TEXT NOT NULL,
  content TEXT NOT NULL,
  fields TEXT NOT NULL,
  reasons TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX quarantine_ns ON quarantine (ns, at);

CREATE TABLE backups (
  path TEXT PRIMARY KEY NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
""",
    "0008_sessions": """
CREATE TABLE hook_sessions (
  session_id TEXT PRIMARY KEY NOT NULL,
  ns TEXT NOT NULL,
  at TEXT NOT NULL,
  shown TEXT NOT NULL DEFAULT '[]',
  captured_to INTEGER NOT NULL DEFAULT 0,
  asked_to INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX hook_sessions_at ON hook_sessions (at);
""",
    # After it `migrate.finish_rows` adds the tags of memories to the terms of their chunks.
    "0009_words": f"""
CREATE TABLE words (
  ns_id INTEGER NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (ns_id, word)
) STRICT, WITHOUT ROWID;
INSERT INTO words {CHUNK_WORDS};
""",
    # After it `migrate.finish_rows` computes those of the memories that are there.
    "0010_checksums": """
ALTER TABLE memories ADD COLUMN checksum TEXT;
""",
    "0011_trust": """
CREATE INDEX quarantine_key ON quarantine (ns, key);
ALTER TABLE note_folders ADD COLUMN source_kind TEXT NOT NULL DEFAULT 'stated';

CREATE TABLE store_secrets (
  name TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
""",
    "0012_source_aliases": """
CREATE TABLE source_aliases (
  ns TEXT NOT NULL,
  alias TEXT NOT NULL,
  canonical TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (ns, alias)
) STRICT, WITHOUT ROWID;
""",
    "0013_idle_year": """
-- A rule that somebody has changed stays.
UPDATE reflect_rules SET cond_unaccessed_gt_hours = 8760
  WHERE id = 'sys-demote-stale-ltm' AND created_by = 'system' AND cond_unaccessed_gt_hours = 168;
""",
    "0014_statements": """
-- The statements of the user among memories from other sources.
CREATE INDEX memories_stated ON memories (ns)
  WHERE deleted_at IS NULL AND (source_kind IS NULL OR source_kind = 'stated');
""",
    "0016_turns": """
-- Only turns of conversations form threads, not facts that name the session they come from.
UPDATE chunks SET thread_id = NULL, place = NULL
  WHERE thread_id IS NOT NULL AND memory_id IN
    (SELECT id FROM memories WHERE kind <> 'episodic' OR source_user IS NULL);
UPDATE threads SET (chunks, length) =
  (SELECT count(*), coalesce(sum(length), 0) FROM chunks c WHERE c.thread_id = threads.id);
""",
    "0017_unfinished": """
-- Memories that an older Ghost wrote after an upgrade; every opening looks for them.
CREATE INDEX memories_unfinished ON memories (id) WHERE checksum IS NULL;
""",
    "0018_outline_graphs": """
-- Graphs of code were stored as one value among the facts; they are built again when needed.
DELETE FROM outline_facts WHERE hash LIKE 'graph %';

CREATE TABLE outline_graphs (
  id INTEGER PRIMARY KEY,
  root TEXT NOT NULL,
  language TEXT NOT NULL,
  version TEXT NOT NULL,
  details TEXT NOT NULL,
  UNIQUE (root, language)
) STRICT;

CREATE TABLE outline_nodes (
  project INTEGER NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  origin TEXT NOT NULL,
  line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  start INTEGER NOT NULL,
  id TEXT NOT NULL,
  signature TEXT NOT NULL,
  imported_from TEXT NOT NULL,
  full_name TEXT NOT NULL,
  body TEXT NOT NULL,
  alone INTEGER NOT NULL,
  PRIMARY KEY (project, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX outline_nodes_alone ON outline_nodes (project, number) WHERE alone = 1;

CREATE TABLE outline_links (
  project INTEGER NOT NULL,
  source INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  target INTEGER NOT NULL,
  line INTEGER NOT NULL,
  via INTEGER NOT NULL,
  PRIMARY KEY (project, source, kind, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX outline_links_target ON outline_links (target);

CREATE TABLE outline_unresolved (
  project INTEGER NOT NULL,
  owner INTEGER NOT NULL,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  line INTEGER NOT NULL,
  name TEXT NOT NULL,
  candidates INTEGER NOT NULL,
  PRIMARY KEY (project, owner, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX outline_unresolved_name ON outline_unresolved (name);
""",
    **additions(_TYPES),
}

# What a database has to record before any migration can: who wrote what, and when.
LEDGER = """
CREATE TABLE IF NOT EXISTS migrations (
  name TEXT PRIMARY KEY NOT NULL,
  applied_at TEXT NOT NULL,
  written_by TEXT NOT NULL
) STRICT
"""
