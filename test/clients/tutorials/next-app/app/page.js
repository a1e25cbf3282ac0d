import { getIronSession } from 'iron-session'
import { cookies } from 'next/headers'
import { sessionOptions } from '../lib/auth.js'

export default async function Home() {
  const { user } = await getIronSession(await cookies(), sessionOptions)
  // These are no <Link>s: Next.js would load what they lead to ahead of time.
  if (!user) {
    return (
      <p>
        Nobody is logged in. <a href="/login">Log in</a>
      </p>
    )
  }
  return (
    <form method="post" action="/logout">
      <p>Hello {user.name}!</p>
      <button type="submit">Log out</button>
    </form>
  )
}
