// golang-jwt with keyfunc as an API uses them. Settings come as JSON in the argument; the claims of the token go to the output.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/MicahParks/keyfunc/v2"
	"github.com/golang-jwt/jwt/v5"
)

type settings struct {
	Issuer      string `json:"issuer"`
	Audience    string `json:"audience"`
	KeySet      string `json:"jwks_uri"`
	AccessToken string `json:"access_token"`
}

func main() {
	log.SetFlags(0)
	var s settings
	if err := json.Unmarshal([]byte(os.Args[1]), &s); err != nil {
		log.Fatal(err)
	}
	keys, err := keyfunc.Get(s.KeySet, keyfunc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	token, err := jwt.Parse(s.AccessToken, keys.Keyfunc,
		jwt.WithIssuer(s.Issuer), jwt.WithAudience(s.Audience), jwt.WithExpirationRequired(),
		jwt.WithValidMethods([]string{"ES256"}))
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(token.Claims); err != nil {
		log.Fatal(err)
	}
}
