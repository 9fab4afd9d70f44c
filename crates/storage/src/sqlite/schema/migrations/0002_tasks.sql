CREATE TABLE tasks (
    id              BLOB    NOT NULL PRIMARY KEY,
    kind            TEXT    NOT NULL,
    channel         TEXT    NOT NULL,
    chat            TEXT    NOT NULL,
    dialog          TEXT    NOT NULL,
    chat_kind       TEXT    NOT NULL,
    account         TEXT    NOT NULL,
    sender_id       TEXT    NOT NULL,
    sender_name     TEXT    NOT NULL,
    sender_role     TEXT    NOT NULL,
    cause           BLOB    NOT NULL,
    call            TEXT,
    title           TEXT    NOT NULL,
    payload         TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    attempts        INTEGER NOT NULL,
    lease_owner     TEXT    NOT NULL,
    lease_fence     INTEGER NOT NULL,
    handle          TEXT    NOT NULL,
    result          TEXT    NOT NULL,
    arrival         TEXT    NOT NULL,
    notice          TEXT    NOT NULL,
    -- The message of an announced one, the turn of one that is claimed or shown.
    notice_of       BLOB,
    notice_failures INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    ended_at        INTEGER,
    notice_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tasks_of_call ON tasks (call) WHERE call IS NOT NULL;
CREATE INDEX tasks_open ON tasks (id) WHERE state IN ('queued', 'running');
CREATE INDEX tasks_pending ON tasks (id) WHERE notice = 'pending';
CREATE INDEX tasks_held ON tasks (notice_of) WHERE notice IN ('announced', 'claimed');
CREATE INDEX tasks_made ON tasks (created_at);
CREATE INDEX tasks_of_chat ON tasks (channel, chat, id);
