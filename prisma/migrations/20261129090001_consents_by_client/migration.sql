-- Before a client that nobody uses is deleted, and before a client gets the id of a deleted one, its consents are looked for.
create index consents_client_id_idx on identity.consents (client_id);
