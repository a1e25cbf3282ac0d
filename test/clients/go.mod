// The clients in Go that Debian does not have, in versions that its Go builds.
module gatehouse/test/clients

go 1.19

require (
	github.com/MicahParks/keyfunc/v2 v2.1.0
	github.com/coreos/go-oidc/v3 v3.9.0
	github.com/golang-jwt/jwt/v5 v5.2.2
	golang.org/x/oauth2 v0.13.0
)

require (
	github.com/go-jose/go-jose/v3 v3.0.1 // indirect
	golang.org/x/crypto v0.14.0 // indirect
)
