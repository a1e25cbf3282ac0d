// A web app whose users log in with Gatehouse.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"html/template"
	"log"
	"net/http"
	"net/url"
	"os"

	"github.com/alexedwards/scs/v2"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

var (
	issuer = cmp.Or(os.Getenv("ISSUER"), "http://localhost:8080")
	home   = cmp.Or(os.Getenv("HOME_PAGE"), "http://localhost:3000/")
	port   = cmp.Or(os.Getenv("PORT"), "3000")
)

var page = template.Must(template.New("page").Parse(`{{if .}}<p>Hello {{.}}!</p>
<form method="post" action="/logout"><button>Log out</button></form>
{{else}}<p>Nobody is logged in.</p>
<p><a href="/login">Log in</a></p>
{{end}}`))

var failure = template.Must(template.New("failure").Parse(
	`<p>The login failed: {{.}}.</p><p><a href="/">Back</a></p>`))

type app struct {
	provider   *oidc.Provider
	config     oauth2.Config
	endSession string
	// In memory: use a store of scs before there are several processes.
	sessions *scs.SessionManager
}

func main() {
	address, err := url.Parse(home)
	if err != nil {
		log.Fatal(err)
	}
	// Reads the endpoints of the server.
	provider, err := oidc.NewProvider(context.Background(), issuer)
	if err != nil {
		log.Fatal(err)
	}
	var more struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&more); err != nil {
		log.Fatal(err)
	}
	a := app{
		provider: provider,
		config: oauth2.Config{
			ClientID:     os.Getenv("CLIENT_ID"),
			ClientSecret: os.Getenv("CLIENT_SECRET"),
			Endpoint:     provider.Endpoint(),
			RedirectURL:  address.JoinPath("callback").String(),
			Scopes:       []string{oidc.ScopeOpenID, "profile"},
		},
		endSession: more.EndSession,
		sessions:   scs.New(),
	}
	a.sessions.Cookie.Secure = address.Scheme == "https"

	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.showHome)
	mux.HandleFunc("GET /login", a.logIn)
	mux.HandleFunc("GET /callback", a.finishLogin)
	// With POST, which browsers send without the cookie when it comes from another site (SameSite).
	mux.HandleFunc("POST /logout", a.logOut)
	log.Printf("Open %s", home)
	log.Fatal(http.ListenAndServe(":"+port, a.sessions.LoadAndSave(mux)))
}

func (a *app) showHome(w http.ResponseWriter, r *http.Request) {
	page.Execute(w, a.sessions.GetString(r.Context(), "name"))
}

func (a *app) logIn(w http.ResponseWriter, r *http.Request) {
	state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	a.sessions.Put(r.Context(), "state", state)
	a.sessions.Put(r.Context(), "nonce", nonce)
	a.sessions.Put(r.Context(), "verifier", verifier)
	address := a.config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
	http.Redirect(w, r, address, http.StatusFound)
}

func (a *app) finishLogin(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	name, idToken, err := a.redeem(ctx, r.URL.Query())
	if err == nil {
		// A new session id: whoever knew the one from before the login has nothing of it.
		err = a.sessions.RenewToken(ctx)
	}
	if err != nil {
		log.Printf("The login failed: %v", err)
		w.WriteHeader(http.StatusBadRequest)
		failure.Execute(w, err.Error())
		return
	}
	a.sessions.Put(ctx, "name", name)
	a.sessions.Put(ctx, "id_token", idToken)
	http.Redirect(w, r, "/", http.StatusFound)
}

// Verifies the answer of the server, redeems its code, and returns the name of the user and the ID token.
func (a *app) redeem(ctx context.Context, answer url.Values) (name, rawIDToken string, err error) {
	state := a.sessions.PopString(ctx, "state")
	nonce := a.sessions.PopString(ctx, "nonce")
	verifier := a.sessions.PopString(ctx, "verifier")
	if state == "" || answer.Get("state") != state {
		return "", "", errors.New("it did not begin in this browser")
	}
	if refusal := answer.Get("error"); refusal != "" {
		return "", "", errors.New(refusal)
	}
	token, err := a.config.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return "", "", err
	}
	rawIDToken, _ = token.Extra("id_token").(string)
	idToken, err := a.provider.Verifier(&oidc.Config{ClientID: a.config.ClientID}).Verify(ctx, rawIDToken)
	if err != nil {
		return "", "", err
	}
	if idToken.Nonce != nonce {
		return "", "", errors.New("the ID token has another nonce")
	}
	userInfo, err := a.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return "", "", err
	}
	if userInfo.Subject != idToken.Subject {
		return "", "", errors.New("userinfo is about another user")
	}
	var claims struct {
		Name     string `json:"name"`
		UserName string `json:"preferred_username"`
	}
	err = userInfo.Claims(&claims)
	return cmp.Or(claims.Name, claims.UserName), rawIDToken, err
}

func (a *app) logOut(w http.ResponseWriter, r *http.Request) {
	parameters := url.Values{
		"client_id":                {a.config.ClientID},
		"post_logout_redirect_uri": {home},
	}
	if idToken := a.sessions.GetString(r.Context(), "id_token"); idToken != "" {
		parameters.Set("id_token_hint", idToken)
	}
	if err := a.sessions.Destroy(r.Context()); err != nil {
		log.Print(err)
	}
	http.Redirect(w, r, a.endSession+"?"+parameters.Encode(), http.StatusSeeOther)
}
