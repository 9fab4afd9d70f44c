-- Ids are the sixteen bytes of a UUID of version 7, so that their order is the order of their making.
-- Times are milliseconds since 1970 (UTC). Enumerations are stored under their stable names.

CREATE TABLE messages (
    id          BLOB    NOT NULL PRIMARY KEY,
    channel     TEXT    NOT NULL,
    chat        TEXT    NOT NULL,
    dialog      TEXT    NOT NULL,
    chat_kind   TEXT    NOT NULL,
    account     TEXT    NOT NULL,
    direction   TEXT    NOT NULL,
    origin      TEXT    NOT NULL,
    sender_id   TEXT    NOT NULL,
    sender_name TEXT    NOT NULL,
    sender_role TEXT    NOT NULL,
    segments    TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    addressed   INTEGER NOT NULL,
    arrival     TEXT    NOT NULL,
    platform_id TEXT,
    sent_at     INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    turn        BLOB,
    end_name    TEXT,
    end_detail  TEXT
) STRICT;
CREATE UNIQUE INDEX messages_arrived_once ON messages (channel, account, chat, platform_id)
    WHERE platform_id <> '' AND direction = 'in';
CREATE INDEX messages_of_dialog ON messages (channel, chat, dialog, id);
CREATE INDEX messages_open ON messages (id) WHERE end_name IS NULL AND direction = 'in';
CREATE INDEX messages_of_turn ON messages (turn, id) WHERE turn IS NOT NULL;
CREATE INDEX messages_accepted ON messages (accepted_at) WHERE direction = 'in';

CREATE TABLE turns (
    id                BLOB    NOT NULL PRIMARY KEY,
    channel           TEXT    NOT NULL,
    chat              TEXT    NOT NULL,
    dialog            TEXT    NOT NULL,
    cause             BLOB    NOT NULL,
    state             TEXT    NOT NULL,
    attempt           INTEGER NOT NULL,
    lease_owner       TEXT    NOT NULL,
    lease_fence       INTEGER NOT NULL,
    started_at        INTEGER NOT NULL,
    ended_at          INTEGER,
    prompt_tokens     INTEGER NOT NULL,
    cached_tokens     INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    detail            TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX turns_ended ON turns (channel, chat, dialog, id) WHERE state <> 'running';
CREATE INDEX turns_running ON turns (id) WHERE state = 'running';

CREATE TABLE steps (
    turn   BLOB    NOT NULL,
    number INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    kind   TEXT    NOT NULL,
    step   TEXT    NOT NULL,
    PRIMARY KEY (turn, number)
) STRICT;

CREATE TABLE effects (
    call        TEXT    NOT NULL PRIMARY KEY,
    turn        BLOB    NOT NULL,
    tool        TEXT    NOT NULL,
    class       TEXT    NOT NULL,
    arguments   TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    intended_at INTEGER NOT NULL,
    settled_at  INTEGER
) STRICT;
CREATE INDEX effects_of_turn ON effects (turn);
CREATE INDEX effects_unknown ON effects (intended_at) WHERE state = 'unknown';

CREATE TABLE deliveries (
    id               BLOB    NOT NULL PRIMARY KEY,
    message          BLOB    NOT NULL,
    turn             BLOB,
    number           INTEGER NOT NULL,
    channel          TEXT    NOT NULL,
    chat             TEXT    NOT NULL,
    state            TEXT    NOT NULL,
    attempts         INTEGER NOT NULL,
    may_be_duplicate INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    detail           TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_unfinished ON deliveries (id) WHERE state IN ('prepared', 'sending');
CREATE INDEX deliveries_of_turn ON deliveries (turn, number) WHERE turn IS NOT NULL;
CREATE INDEX deliveries_of_message ON deliveries (message);
CREATE INDEX deliveries_made ON deliveries (created_at);

CREATE TABLE dialogs (
    channel    TEXT    NOT NULL,
    chat       TEXT    NOT NULL,
    dialog     TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    active_at  INTEGER NOT NULL,
    PRIMARY KEY (channel, chat, dialog)
) STRICT, WITHOUT ROWID;
CREATE INDEX dialogs_by_activity ON dialogs (active_at);
CREATE INDEX dialogs_of_chat ON dialogs (channel, chat, active_at);

CREATE TABLE current_dialogs (
    channel TEXT NOT NULL,
    chat    TEXT NOT NULL,
    dialog  TEXT NOT NULL,
    PRIMARY KEY (channel, chat)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedules (
    id          BLOB    NOT NULL PRIMARY KEY,
    channel     TEXT    NOT NULL,
    chat        TEXT    NOT NULL,
    dialog      TEXT    NOT NULL,
    chat_kind   TEXT    NOT NULL,
    account     TEXT    NOT NULL,
    sender_id   TEXT    NOT NULL,
    sender_name TEXT    NOT NULL,
    sender_role TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    cause       BLOB    NOT NULL,
    created_at  INTEGER NOT NULL,
    state       TEXT    NOT NULL,
    next_due_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (next_due_at, id) WHERE state = 'active';
CREATE INDEX schedules_of_chat ON schedules (channel, chat, next_due_at, id) WHERE state = 'active';

CREATE TABLE occurrences (
    schedule BLOB    NOT NULL,
    due_at   INTEGER NOT NULL,
    message  BLOB    NOT NULL,
    PRIMARY KEY (schedule, due_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX occurrences_by_time ON occurrences (due_at);

CREATE TABLE settings (
    owner  TEXT    NOT NULL,
    name   TEXT    NOT NULL,
    value  TEXT    NOT NULL,
    set_at INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage (
    seq               INTEGER NOT NULL PRIMARY KEY,
    at                INTEGER NOT NULL,
    turn              BLOB    NOT NULL,
    channel           TEXT    NOT NULL,
    chat              TEXT    NOT NULL,
    dialog            TEXT    NOT NULL,
    user              TEXT    NOT NULL,
    purpose           TEXT    NOT NULL,
    source            TEXT    NOT NULL,
    model             TEXT    NOT NULL,
    prompt_tokens     INTEGER NOT NULL,
    cached_tokens     INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL
) STRICT;
CREATE INDEX usage_by_time ON usage (at);
CREATE INDEX usage_of_dialog ON usage (channel, chat, dialog, at);

CREATE TABLE facts (
    seq         INTEGER NOT NULL PRIMARY KEY,
    id          BLOB    NOT NULL UNIQUE,
    text        TEXT    NOT NULL,
    key         TEXT,
    importance  REAL    NOT NULL,
    audience    TEXT    NOT NULL,
    sources     TEXT    NOT NULL,
    valid_from  INTEGER NOT NULL,
    valid_to    INTEGER,
    replaced_by BLOB
) STRICT;
CREATE INDEX facts_holding ON facts (valid_from, id) WHERE valid_to IS NULL;
CREATE INDEX facts_by_key ON facts (audience, key, valid_from) WHERE valid_to IS NULL AND key IS NOT NULL;

-- Only the words of facts that hold are kept here; the rowid is facts.seq. The words come ready from the memory
-- crate, separated by blanks; the token characters keep such words as `C++` and `project-12` whole.
CREATE VIRTUAL TABLE fact_words USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2 tokenchars '+#.-_@'"
);
