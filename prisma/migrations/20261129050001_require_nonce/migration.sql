-- A client that need not send a code challenge must send a nonce unless `require_nonce` is false. Clients from before keep what they have.
update clients.clients set metadata = metadata || '{"require_nonce": false}'
where metadata -> 'require_pkce' = 'false' and not metadata ? 'require_nonce';
