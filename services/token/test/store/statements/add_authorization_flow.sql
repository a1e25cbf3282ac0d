insert into token.authorization_flows (id, client_id, redirect_uri, scope, state, code_challenge, openid, resources, expires_at)
values ($1, $2, $3, $4, $5, $6, $8, $9, now() + make_interval(secs => $7::float8))
