import { type SpawnOptions, spawnSync } from 'node:child_process'
import { chown, lchown, lstat, mkdir, readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, StartFailure } from '../failure.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { moveOutside, undoHalfMove } from './outside.ts'

/**
 * The ways to run PostgreSQL, which refuses to run as root, in order of preference.
 * - same: as the user who runs the launcher. Not for root.
 * - namespace: in a user namespace where root's files seem to belong to another user. No file on disk changes its owner, and the
 *   database may be in a directory that only root may enter. Many containers forbid user namespaces.
 * - other: as the user nobody, who becomes the owner of the database's folder. Needs a path that other users may enter.
 * - outside: as nobody too, with the database and the binaries in another folder that this user may enter.
 */
export const ways = ['same', 'namespace', 'other', 'outside'] as const
export type Way = (typeof ways)[number]

type User = { uid: number; gid: number }

/** How PostgreSQL's programs run on this machine, and where its files are. */
export type Account = {
  way: Way
  /** The folder with bin/, lib/ and share/. */
  binaries: string
  /** The folder with the database and its password, owned by the account. */
  home: string
  /** The words before a program and its arguments. */
  prefix: string[]
  /** Options for spawning it: the user, and an environment without secrets. */
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>
  /** Makes the account the owner of a file that the launcher created in `home`. */
  adopt(file: string): Promise<void>
}

/**
 * Tries the ways in order, and returns the first that works on this machine.
 * @param directory where the folder `postgres` is, or will be created
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
    const lastLine = result.stderr.trim().split('\n').at(-1)
    throw new Error(lastLine || `${program} ended with ${result.signal ?? result.status}`)
  }
}

/** Makes a user the owner of a folder and its content. It is fast if they own the folder already. */
async function giveTo(folder: string, user: User): Promise<void> {
  const uid = user.uid >>> 0
  const gid = user.gid >>> 0
  if ((await lstat(folder)).uid === uid) return
  for (const entry of await readdir(folder, { recursive: true })) {
    await lchown(join(folder, entry), uid, gid)
  }
  // The folder itself comes last, so that after an interruption the next start repeats the work.
  await lchown(folder, uid, gid)
}

/** initdb refuses a user without a name, so the machine must know the user. */
async function findNobody(): Promise<User> {
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const found = users.find(([name]) => name === 'nobody') ?? users.find(([, , uid]) => Number(uid) > 0)
  if (!found) throw new Error('/etc/passwd has no user but root')
  return { uid: Number(found[2]), gid: Number(found[3]) }
}
