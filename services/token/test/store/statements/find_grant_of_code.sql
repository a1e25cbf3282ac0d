select user_id as "userId", scope
from token.authorization_codes
where code_digest = $1
and client_id = $2
