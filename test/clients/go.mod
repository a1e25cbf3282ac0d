// The clients in Go that Debian does not have, in versions that its Go builds.
module gatehouse/test/clients

go 1.19

require (
	github.com/MicahParks/keyfunc/v2 v2.1.0
	github.com/golang-jwt/jwt/v5 v5.2.2
)
