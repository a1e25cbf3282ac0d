// A service that proves with its key who it is.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

var (
	issuer   = cmp.Or(os.Getenv("ISSUER"), "http://localhost:8080")
	clientID = os.Getenv("CLIENT_ID")
	keyFile  = cmp.Or(os.Getenv("KEY_FILE"), "private-key.jwk")
)

// Adds an assertion to each form. It must only get requests to the server of the issuer.
type assertionSigner struct{ signer jose.Signer }

func newAssertionSigner(file string) (*assertionSigner, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var key jose.JSONWebKey
	if err := json.Unmarshal(text, &key); err != nil {
		return nil, err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, nil)
	return &assertionSigner{signer}, err
}

func (s *assertionSigner) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodPost {
		return http.DefaultTransport.RoundTrip(request)
	}
	body, err := io.ReadAll(request.Body)
	request.Body.Close()
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	assertion, err := jwt.Signed(s.signer).Claims(jwt.Claims{
		Issuer:   clientID,
		Subject:  clientID,
		Audience: jwt.Audience{issuer},
		ID:       rand.Text(),
		IssuedAt: jwt.NewNumericDate(now),
		Expiry:   jwt.NewNumericDate(now.Add(time.Minute)),
	}).Serialize()
	if err != nil {
		return nil, err
	}
	form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	form.Set("client_assertion", assertion)
	signed := request.Clone(request.Context())
	text := form.Encode()
	signed.ContentLength = int64(len(text))
	signed.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	signed.Body, _ = signed.GetBody()
	return http.DefaultTransport.RoundTrip(signed)
}

func main() {
	signer, err := newAssertionSigner(keyFile)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Client{Transport: signer}
	// For logins, give this context to oauth2.Config.Exchange and TokenSource, and AuthStyleInParams to its Endpoint.
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, server)
	config := clientcredentials.Config{
		ClientID:  clientID,
		TokenURL:  issuer + "/oauth/token",
		Scopes:    []string{"read"},
		AuthStyle: oauth2.AuthStyleInParams,
	}
	token, err := config.Token(ctx)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := server.PostForm(issuer+"/oauth/introspect", url.Values{"token": {token.AccessToken}})
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}
