// golang.org/x/oauth2 as its users use it. Settings come as JSON in the argument; see program-dialogue.ts.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/url"
	"os"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

type client struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

type settings struct {
	BaseURL     string `json:"base_url"`
	RedirectURI string `json:"redirect_uri"`
	State       string `json:"state"`
	Client      client `json:"client"`
	Cases       []struct {
		Style  oauth2.AuthStyle `json:"style"`
		Client client           `json:"client"`
	} `json:"cases"`
}

type result struct {
	State       string        `json:"state"`
	Token       *oauth2.Token `json:"token"`
	Scope       any           `json:"scope"`
	Refreshed   *oauth2.Token `json:"refreshed"`
	Credentials []string      `json:"credentials"`
}

func main() {
	log.SetFlags(0)
	var s settings
	if err := json.Unmarshal([]byte(os.Args[1]), &s); err != nil {
		log.Fatal(err)
	}
	r := codeFlow(s)
	for _, c := range s.Cases {
		r.Credentials = append(r.Credentials, clientCredentials(s, c.Client, c.Style))
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		log.Fatal(err)
	}
}

func codeFlow(s settings) result {
	ctx := context.Background()
	config := oauth2.Config{
		ClientID:     s.Client.ID,
		ClientSecret: s.Client.Secret,
		Endpoint:     oauth2.Endpoint{AuthURL: s.BaseURL + "/oauth/authorize", TokenURL: s.BaseURL + "/oauth/token"},
		RedirectURL:  s.RedirectURI,
		Scopes:       []string{"read", "write"},
	}
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	verifier := base64.RawURLEncoding.EncodeToString(random)
	digest := sha256.Sum256([]byte(verifier))
	fmt.Println(config.AuthCodeURL(s.State,
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(digest[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256")))

	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	landed, err := url.Parse(lines.Text())
	if err != nil {
		log.Fatal(err)
	}
	query := landed.Query()
	token, err := config.Exchange(ctx, query.Get("code"), oauth2.SetAuthURLParam("code_verifier", verifier))
	if err != nil {
		log.Fatal(err)
	}
	// A client finds its token expired, and gets another one before its next request.
	expired := &oauth2.Token{RefreshToken: token.RefreshToken, Expiry: time.Now().Add(-time.Minute)}
	refreshed, err := config.TokenSource(ctx, expired).Token()
	if err != nil {
		log.Fatal(err)
	}
	return result{State: query.Get("state"), Token: token, Scope: token.Extra("scope"), Refreshed: refreshed}
}

// The scope of the token, or the status of the refusal.
func clientCredentials(s settings, c client, style oauth2.AuthStyle) string {
	config := clientcredentials.Config{
		ClientID:     c.ID,
		ClientSecret: c.Secret,
		TokenURL:     s.BaseURL + "/oauth/token",
		Scopes:       []string{"read"},
		AuthStyle:    style,
	}
	token, err := config.Token(context.Background())
	var refusal *oauth2.RetrieveError
	if errors.As(err, &refusal) {
		return refusal.Response.Status
	}
	if err != nil {
		log.Fatal(err)
	}
	return fmt.Sprint(token.Extra("scope"))
}
