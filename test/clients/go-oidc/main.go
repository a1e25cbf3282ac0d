// go-oidc as its users use it. Settings come as JSON in the argument; see program-dialogue.ts.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net/url"
	"os"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

type settings struct {
	Issuer      string `json:"issuer"`
	RedirectURI string `json:"redirect_uri"`
	Client      struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	} `json:"client"`
}

type result struct {
	Claims   map[string]any `json:"claims"`
	Userinfo map[string]any `json:"userinfo"`
}

func main() {
	log.SetFlags(0)
	var s settings
	if err := json.Unmarshal([]byte(os.Args[1]), &s); err != nil {
		log.Fatal(err)
	}
	r, err := logIn(context.Background(), s)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		log.Fatal(err)
	}
}

// Finds the provider by discovery, redeems a code, and verifies the ID token with the published keys.
func logIn(ctx context.Context, s settings) (r result, err error) {
	provider, err := oidc.NewProvider(ctx, s.Issuer)
	if err != nil {
		return r, err
	}
	config := oauth2.Config{
		ClientID:     s.Client.ID,
		ClientSecret: s.Client.Secret,
		Endpoint:     provider.Endpoint(),
		RedirectURL:  s.RedirectURI,
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	state, nonce, verifier := random(), random(), oauth2.GenerateVerifier()
	fmt.Println(config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)))

	query, err := answer()
	if err != nil {
		return r, err
	}
	if query.Get("state") != state {
		return r, fmt.Errorf("another state: %s", query.Get("state"))
	}
	token, err := config.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return r, err
	}
	rawIDToken, _ := token.Extra("id_token").(string)
	idToken, err := provider.Verifier(&oidc.Config{ClientID: s.Client.ID}).Verify(ctx, rawIDToken)
	if err != nil {
		return r, err
	}
	// The library leaves the nonce to the app.
	if idToken.Nonce != nonce {
		return r, fmt.Errorf("another nonce: %s", idToken.Nonce)
	}
	if err := idToken.VerifyAccessToken(token.AccessToken); err != nil {
		return r, err
	}
	if err := idToken.Claims(&r.Claims); err != nil {
		return r, err
	}
	userinfo, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return r, err
	}
	return r, userinfo.Claims(&r.Userinfo)
}

// The query with which the user returns.
func answer() (url.Values, error) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	landed, err := url.Parse(lines.Text())
	if err != nil {
		return nil, err
	}
	return landed.Query(), nil
}

func random() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}
