import express from 'express'
import session from 'express-session'
import * as client from 'openid-client'

const { CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT = '3000' } = process.env
const issuer = new URL(process.env.ISSUER ?? 'http://localhost:8080')
const home = new URL(process.env.HOME_PAGE ?? 'http://localhost:3000/')
const redirectUri = new URL('/callback', home)

// Reads the endpoints and the keys of the server. Its address has http: only on your own machine.
const config = await client.discovery(issuer, CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
})

const app = express()
// The sessions are in memory: use a store of express-session before there are several processes.
app.use(
  session({
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax', secure: home.protocol === 'https:' },
  }),
)

app.get('/', ({ session: { user } }, response) => {
  if (user === undefined) response.send('<p>Nobody is logged in.</p><p><a href="/login">Log in</a></p>')
  else
    response.send(
      `<p>Hello ${escaped(user.name)}!</p><form method="post" action="/logout"><button>Log out</button></form>`,
    )
})

app.get('/login', async (request, response) => {
  const codeVerifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  request.session.login = { codeVerifier, state }
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri.href,
    scope: 'openid profile',
    state,
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  })
  response.redirect(address.href)
})

app.get('/callback', async (request, response) => {
  const { login } = request.session
  if (login === undefined) return response.redirect('/login')
  // Redeems the code, and verifies the state and the ID token.
  const tokens = await client.authorizationCodeGrant(config, new URL(request.originalUrl, home), {
    pkceCodeVerifier: login.codeVerifier,
    expectedState: login.state,
  })
  const { sub } = tokens.claims()
  const { name, preferred_username: userName } = await client.fetchUserInfo(config, tokens.access_token, sub)
  // A new session: whoever knew the one from before the login has nothing of it.
  await new Promise((done, fail) => request.session.regenerate((error) => (error ? fail(error) : done())))
  request.session.user = { sub, name: name ?? userName }
  request.session.idToken = tokens.id_token
  response.redirect('/')
})

// With POST, which browsers send without the cookie when it comes from another site (sameSite).
app.post('/logout', ({ session }, response) => {
  const address = client.buildEndSessionUrl(config, {
    post_logout_redirect_uri: home.href,
    ...(session.idToken && { id_token_hint: session.idToken }),
  })
  session.destroy(() => response.redirect(303, address.href))
})

app.use((error, _request, response, _next) => {
  console.error(error)
  response
    .status(400)
    .send(`<p>The login failed: ${escaped(error.error ?? error.message)}.</p><p><a href="/">Back</a></p>`)
})

app.listen(Number(PORT), () => console.log(`Open ${home.href}`))

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
