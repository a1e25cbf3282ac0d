-- In a migration of its own, because it holds up who writes a grant while it reads the table once. No row is in the index yet.
create index session_grants_connection_id_user_id_grant_id_idx on token.session_grants (connection_id, user_id, grant_id) where connection_id is not null;
