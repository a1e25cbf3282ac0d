-- clients_listed_origins_idx is in its place.
drop index clients.clients_origins_idx;
