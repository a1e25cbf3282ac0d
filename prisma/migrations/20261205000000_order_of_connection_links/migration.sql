-- In a migration of its own, because it holds up who writes a link while it reads the table once. A link is written once, and a login changes
-- no column of the index; without it, each page of the list sorts all links of a connection, of which there may be 100,000.
create index connection_links_connection_id_linked_at_idx on identity.connection_links (connection_id, linked_at);
