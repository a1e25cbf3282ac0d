import { type SpawnOptions, spawnSync } from 'node:child_process'
import { chown, lchown, lstat, mkdir, readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, StartFailure } from './failure.ts'
import { type Binaries, findBinaries } from './postgres-binaries.ts'
import { moveOutside, undoHalfMove } from './postgres-outside.ts'

/**
 * The ways to run PostgreSQL, which refuses to run as root, best first.
 * - same: as the user who runs the launcher. Not for root.
 * - namespace: in a user namespace where root's files seem to be another user's. Nothing on disk changes hands, and
 *   directories that only root may enter do no harm. Many containers forbid it.
 * - other: as the user nobody, to whom the database's folder is given. Needs a path that others may enter.
 * - outside: as nobody too, with database and binaries in a folder elsewhere that nobody may enter.
 */
export const ways = ['same', 'namespace', 'other', 'outside'] as const
export type Way = (typeof ways)[number]

type User = { uid: number; gid: number }

/** How PostgreSQL's programs are run here, and where its files are. */
export type Account = {
  way: Way
  /** Holds bin/, lib/ and share/. */
  binaries: string
  /** The folder with the database and its password, owned by the account. */
  home: string
  /** What comes before a program and its arguments. */
  prefix: string[]
  /** Options for spawning it: another user's, and an environment with nothing secret in it. */
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>
  /** Gives a file that the launcher made in `home` to the account. */
  adopt(file: string): Promise<void>
}

/**
 * Tries the ways in their order and takes the first that works here.
 * @param directory where the folder `postgres` is or shall be
 * @param candidates the ways to try
 * @throws StartFailure when none works
 */
export async function chooseAccount(directory: string, candidates: readonly Way[] = ways): Promise<Account> {
  const binaries = findBinaries()
  const folder = join(directory, 'postgres')
  await undoHalfMove(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error) => explainFolder(folder, error))
  const root = process.getuid?.() === 0
  let reason = 'no way is left to run it'
  for (const way of candidates) {
    if ((way === 'same') === root) continue
    try {
      const account = await prepare(way, folder, binaries)
      probe(account)
      return account
    } catch (error) {
      reason = messageOf(error)
    }
  }
  throw new StartFailure(
    `The embedded PostgreSQL cannot run here (${reason}): ` +
      `${root ? 'start as an ordinary user, or ' : ''}set OAUTH2_DATABASE_URL to a PostgreSQL of yours`,
  )
}

function explainFolder(folder: string, error: NodeJS.ErrnoException): never {
  // It is a link whose target is missing, such as a volume that is not mounted yet.
  if (error.code === 'EEXIST' || error.code === 'ENOENT') {
    throw new StartFailure(
      `${folder} leads to a folder that is gone: bring it back, or delete the link to begin with an empty database`,
    )
  }
  throw new StartFailure(
    `${folder} cannot be made (${error.code}): set GATEHOUSE_DATA_DIR to a directory of yours`,
  )
}

async function prepare(way: Way, folder: string, binaries: Binaries): Promise<Account> {
  const home = await realpath(folder)
  const here = { binaries: binaries.directory, home }
  if (way === 'same') return accountOf({ way, ...here, prefix: [] })
  const nobody = await findNobody()
  if (way === 'namespace') {
    await giveTo(home, { uid: 0, gid: 0 })
    const map = [`--map-user=${nobody.uid >>> 0}`, `--map-group=${nobody.gid >>> 0}`]
    return accountOf({ way, ...here, prefix: ['unshare', '--user', ...map] })
  }
  const place = way === 'other' ? here : await moveOutside(folder, binaries)
  await giveTo(place.home, nobody)
  return accountOf({ way, ...place, prefix: [] }, nobody)
}

function accountOf(place: Pick<Account, 'way' | 'binaries' | 'home' | 'prefix'>, user?: User): Account {
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' }
  return {
    ...place,
    options: { cwd: '/', env, ...user },
    async adopt(file) {
      if (user) await chown(file, user.uid >>> 0, user.gid >>> 0)
    },
  }
}

/** Throws when the account cannot reach PostgreSQL's programs or its folder. */
function probe(account: Account): void {
  const script = 'cd "$1" && test -w . && exec "$2" --version'
  const postgres = join(account.binaries, 'bin', 'postgres')
  const [program = 'sh', ...args] = [...account.prefix, 'sh', '-c', script, 'sh', account.home, postgres]
  const result = spawnSync(program, args, { ...account.options, encoding: 'utf8', timeout: 10_000 })
  if (result.error) throw result.error
  if (result.status !== 0) {
    const said = result.stderr.trim().split('\n').at(-1)
    throw new Error(said || `${program} ended with ${result.signal ?? result.status}`)
  }
}

/** Gives a folder and its content to a user. It is fast if the folder already belongs to them. */
async function giveTo(folder: string, user: User): Promise<void> {
  const uid = user.uid >>> 0
  const gid = user.gid >>> 0
  if ((await lstat(folder)).uid === uid) return
  for (const entry of await readdir(folder, { recursive: true })) {
    await lchown(join(folder, entry), uid, gid)
  }
  // The folder itself comes last: when this is interrupted, the next start does it again.
  await lchown(folder, uid, gid)
}

/** initdb refuses a user without a name, so it must be one that the machine knows. */
async function findNobody(): Promise<User> {
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const found = users.find(([name]) => name === 'nobody') ?? users.find(([, , uid]) => Number(uid) > 0)
  if (!found) throw new Error('/etc/passwd has no user but root')
  return { uid: Number(found[2]), gid: Number(found[3]) }
}
