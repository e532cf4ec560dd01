-- Whoever asks for an export has those that wait of its partner counted. Old ones are deleted by the time in their ids, which
-- the primary key serves.
CREATE INDEX exports_waiting ON exports (partner) WHERE status IN ('new', 'in_progress');
