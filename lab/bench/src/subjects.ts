import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Credentials, issueForm, issueTokens } from './answers.ts'
import type { Gatehouse } from './gatehouse.ts'
import type { Watched } from './measuring/usage.ts'
import { type Phase, paths, type RivalName } from './options.ts'
import { opaqueResource, type Rival } from './peers/rivals.ts'

/** Something that is measured. */
export type Subject = {
  name: 'gatehouse' | RivalName
  url: string
  watched: Watched[]
  credentials: Credentials
  /** The form that gets the tokens to introspect; undefined if Gatehouse's tokens can be used. */
  poolForm: string | undefined
  /** The parameters of an introspection besides the token. */
  introspectionForm: string
}

/** The tokens that are introspected in turn: fewer than the 1,000 that the peer's in-memory adapter keeps. */
export const poolSize = 500

/** Gatehouse, introspected without client credentials. */
export function gatehouseSubject({ url, watched, credentials }: Gatehouse): Subject {
  return {
    name: 'gatehouse',
    url,
    watched,
    credentials,
    poolForm: issueForm(credentials),
    introspectionForm: '',
  }
}

/** A rival. The peer answers introspections only to clients that authenticate. */
export function rivalSubject(name: RivalName, { url, watched }: Rival, credentials: Credentials): Subject {
  const subject = { name, url, watched: [watched], credentials }
  if (name === 'ceiling') return { ...subject, poolForm: undefined, introspectionForm: '' }
  const { clientId: client_id, clientSecret: client_secret } = credentials
  return {
    ...subject,
    poolForm: `${issueForm(credentials)}&resource=${encodeURIComponent(opaqueResource)}`,
    introspectionForm: `&${new URLSearchParams({ client_id, client_secret })}`,
  }
}

/** The forms that a subject gets in a phase. */
export type Forms = {
  first: string
  /** A file with one form in each line. */
  file: string
}

/** Writes the forms that a subject gets in a phase to a file. */
export async function writeForms(
  directory: string,
  subject: Subject,
  phase: Phase,
  tokens: readonly string[],
): Promise<Forms> {
  const forms =
    phase === 'issue'
      ? [issueForm(subject.credentials)]
      : tokens.map((token) => `token=${encodeURIComponent(token)}${subject.introspectionForm}`)
  const file = join(directory, `${subject.name}-${phase}.txt`)
  await writeFile(file, `${forms.join('\n')}\n`, { mode: 0o600 })
  return { first: forms[0] as string, file }
}

/** Gets fresh tokens to introspect from each subject that issues its own; the others get Gatehouse's. */
export async function fillPools(
  subjects: readonly Subject[],
  size = poolSize,
): Promise<Map<Subject, string[]>> {
  const pools = new Map<Subject, string[]>()
  let shared: string[] = []
  for (const subject of subjects) {
    const { poolForm, url } = subject
    const pool = poolForm ? await issueTokens(`${url}${paths.issue}`, poolForm, size) : shared
    if (subject.name === 'gatehouse') shared = pool
    pools.set(subject, pool)
  }
  return pools
}
