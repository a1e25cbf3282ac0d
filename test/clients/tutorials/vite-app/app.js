import { UserManager } from 'oidc-client-ts'

const manager = new UserManager({
  authority: import.meta.env.VITE_ISSUER ?? 'http://localhost:8080',
  client_id: import.meta.env.VITE_CLIENT_ID,
  redirect_uri: `${location.origin}/callback`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid profile',
  // The name of the user is not in the ID token, so the library asks /oauth/userinfo for it.
  loadUserInfo: true,
})

const [greeting, logIn, logOut] = ['greeting', 'log-in', 'log-out'].map((id) => document.getElementById(id))
logIn.addEventListener('click', () => manager.signinRedirect())
logOut.addEventListener('click', () => manager.signoutRedirect())

// The library refreshes the access token before it expires. The server refuses that when the session has ended elsewhere.
manager.events.addSilentRenewError(async ({ error }) => {
  if (!error) return
  await manager.removeUser()
  show(null)
})

try {
  if (location.pathname === '/callback') await finishLogin()
  show(await currentUser())
} catch (error) {
  show(null, `The login failed: ${error.error ?? error.message}.`)
}

async function finishLogin() {
  // Leaves this address first: its code works only once, also when the page is loaded again.
  const { href } = location
  history.replaceState(null, '', '/')
  // Verifies the state, redeems the code, and verifies the claims of the ID token.
  await manager.signinCallback(href)
}

async function currentUser() {
  const user = await manager.getUser()
  // The page was closed for longer than the access token lives, and the session may have ended.
  if (user?.expired) return manager.signinSilent().catch(() => manager.removeUser())
  return user
}

function show(user, problem = 'Nobody is logged in.') {
  const { name, preferred_username: userName } = user?.profile ?? {}
  greeting.textContent = user ? `Hello ${name ?? userName}!` : problem
  logIn.hidden = Boolean(user)
  logOut.hidden = !user
}
