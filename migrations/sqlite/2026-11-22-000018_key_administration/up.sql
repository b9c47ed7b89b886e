-- Clients that are disabled; who created a key, and when it was last used.

ALTER TABLE clients ADD COLUMN disabled_at INTEGER;

-- The key that created the world of this key. It is not a reference, because a rotation replaces it by a younger key.
ALTER TABLE api_keys ADD COLUMN made_by TEXT CHECK (length(made_by) = 36);
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
-- The key that a rotation replaced it by.
ALTER TABLE api_keys ADD COLUMN replaced_by TEXT CHECK (length(replaced_by) = 36);

CREATE INDEX api_keys_by_maker ON api_keys (made_by) WHERE made_by IS NOT NULL;
