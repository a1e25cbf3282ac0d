import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import type { NameClaims } from '@gatehouse/kit/rpc/name-claims'
import { storable } from '@gatehouse/kit/storable'
import { passwordFaults } from '@gatehouse/proto/people/passwords'
import { readAttribute, userAttributes } from '@gatehouse/proto/people/user-attributes'
import { digestOf } from '../basics/secret.ts'
import { type RecordingDeps, recordLogin } from '../logins/login-history.ts'
import { type BeginningDeps, beginSession, type NewLogin } from '../logins/session.ts'
import type { PasswordHashing } from '../passwords/password.ts'
import { passwordFault } from '../passwords/password-rule.ts'
import { looksLikeStaff } from '../providers/social-username.ts'
import { usernameFault } from '../users/user.ts'

/** The people who may sign up: nobody, everybody, or those whom an administrator has invited. */
export type SignUpMode = 'closed' | 'open' | 'invitation'

/** The request of somebody who wants to sign up. */
export type SignUpRequest = {
  address: string
  /** A language tag (BCP 47). */
  language: string
  /** The path to continue at afterwards; undefined for none. */
  returnTo?: string | undefined
}

/** A user who signs up by a link. */
export type SigningUpUser = {
  id: string
  username: string
  passwordHash: string
  /** A language tag (BCP 47), unless the invitation says another. */
  language: string
}

/** Stores sign-ups. */
export type SignUpStore = {
  /** Stores that a mail is wanted. It takes the same time whether or not the address has an account. */
  request(request: SignUpRequest): Promise<void>
  /** Finds the address of a link that has not expired and was not used. */
  addressOf(digest: Buffer): Promise<string | undefined>
  /**
   * Uses a link and creates its user, in one transaction. All links of the address end.
   * @param reservation of the user's name
   * @returns where to continue; or why nothing was done, and then the link is still good unless it is over
   */
  complete(
    digest: Buffer,
    user: SigningUpUser,
    reservation: string,
  ): Promise<{ returnTo: string | undefined } | 'link over' | 'name taken'>
}

/** The needs of signing up. */
export type SignUpDeps = BeginningDeps &
  RecordingDeps & {
    signUps: SignUpStore
    /** Keeps the ids of clients from becoming names of users. */
    names: NameClaims
    /** OAUTH2_SIGNUP; closed where no mails can be sent. */
    mode: SignUpMode
    hashing: Pick<PasswordHashing, 'hash'>
    emit: Emit
  }

/** A fault in a form: the parameter, a code, and the same as the end of a sentence that begins with the parameter's name. */
export type FormProblem = { field: string; code: string; rule: string }

/** The outcome of signing up. */
export type SignUpOutcome =
  | { outcome: 'signed up'; login: NewLogin; returnTo: string | undefined }
  | { outcome: 'link over' }
  | { outcome: 'problem'; problem: FormProblem }

/**
 * Notes that somebody wants to sign up with an address. They get a mail, which says if the address has an account already.
 * @returns the fault of the address, as a sentence; undefined for none
 * @throws Refusal access_denied when people cannot sign up
 */
export async function requestSignUp(
  { address, returnTo, ...request }: SignUpRequest,
  { signUps, mode }: Pick<SignUpDeps, 'signUps' | 'mode'>,
): Promise<string | undefined> {
  if (mode !== 'open') throw signUpClosed()
  const read = readAddress(address)
  if ('fault' in read) return `The address ${read.fault}.`
  await signUps.request({ ...request, address: read.value, returnTo: returnTo && storable(returnTo) })
  return undefined
}

/** Normalises and checks an e-mail address. */
export function readAddress(address: string): { value: string } | { fault: string } {
  const read = readAttribute(userAttributes.email, address, visibleTextFault)
  return 'fault' in read ? read : { value: String(read.value) }
}

/** The form that a person sends to sign up by a link. */
export type SignUpForm = {
  secret: string
  username: string
  password: string
  language: string
  ipAddress: string
  userAgent: string
  previousSecret: string | undefined
}

/**
 * Creates a user by the link in their mail, with its address as theirs, and logs them in. Where everybody must have a second factor
 * they enrol it first.
 * @throws Refusal access_denied when people cannot sign up
 */
export async function completeSignUp(form: SignUpForm, deps: SignUpDeps): Promise<SignUpOutcome> {
  const { signUps, names, hashing, randomUuid, emit } = deps
  if (deps.mode === 'closed') throw signUpClosed()
  const digest = digestOf(form.secret)
  const address = await signUps.addressOf(digest)
  if (address === undefined) return { outcome: 'link over' }
  const problem = problemOf(form, address)
  if (problem) return { outcome: 'problem', problem }
  const { username, password, language } = form
  const passwordHash = await hashing.hash(password)
  const id = randomUuid()
  const completed = await names.during([username], async ({ reservation, isTaken }) =>
    isTaken(username)
      ? 'name taken'
      : signUps.complete(digest, { id, username, passwordHash, language }, reservation),
  )
  if (completed === 'link over') return { outcome: 'link over' }
  if (completed === 'name taken') return { outcome: 'problem', problem: nameTaken }
  emit('user_signed_up', { userId: id, metadata: {} })
  const user = { id, username, adminRole: null }
  const method = 'password'
  const beginning = { ...form, passwordHash, methods: ['pwd'], loginMethod: method }
  const login = await beginSession(user, beginning, deps)
  if (login === undefined) return { outcome: 'link over' }
  if (login.outcome === 'right') await recordLogin(form, { userId: id, method, failure: undefined }, deps)
  return { outcome: 'signed up', login, returnTo: completed.returnTo }
}

const nameTaken: FormProblem = { field: 'username', code: 'taken', rule: 'is already taken' }

function problemOf({ username, password }: SignUpForm, address: string): FormProblem | undefined {
  const rule = usernameFault(username)
  if (rule) return { field: 'username', code: 'invalid', rule }
  if (looksLikeStaff(username)) return nameTaken
  const chosen = chosenNameFault(username, address)
  if (chosen) return { field: 'username', ...chosen }
  return passwordProblem('password', password, [username, address])
}

/** The fault of a new password, if it has one. @param names as passwordFault takes them */
export function passwordProblem(
  field: string,
  password: string,
  names: readonly string[],
): FormProblem | undefined {
  const code = passwordFault(password, names)
  return code && { field, code, rule: passwordFaults[code] }
}

/**
 * Users log in by their address too, so nobody may choose the address of somebody else as their name. Names are in mails to
 * addresses that users type, so they must not be links.
 */
function chosenNameFault(username: string, address: string): Omit<FormProblem, 'field'> | undefined {
  // Mail programs make links of what begins like this.
  if (/[/:]|^www\./i.test(username))
    return { code: 'a_link', rule: 'must not contain / or :, nor begin with www.' }
  if (!username.includes('@') || username.toLowerCase() === address.toLowerCase()) return undefined
  return { code: 'an_address', rule: 'must not be an e-mail address, unless it is your own' }
}

function signUpClosed(): Refusal {
  return new Refusal(
    'access_denied',
    'Signing up is closed on this server. Ask an administrator for an account.',
  )
}
