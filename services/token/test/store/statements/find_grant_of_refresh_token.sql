select user_id as "userId", scope
from token.refresh_tokens
where token_digest = $1
and client_id = $2
