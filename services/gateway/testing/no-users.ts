/** Makes a call that is recorded, and has an answer. */
type Recorded = <Answer>(name: string, answer: Answer) => (request: unknown) => Promise<Answer>

/** The factors of a user who has none. */
export const noFactors = {
  ...{ passkeys: [], app: undefined, recoveryCodesLeft: 0 },
  ...{ passkeysOffered: true, appsOffered: true },
}

/** The calls about users where nobody is one. */
export const noUsers = (recorded: Recorded) => ({
  authenticateUser: recorded('authenticateUser', { outcome: undefined }),
  logIn: recorded('logIn', { outcome: undefined }),
  getSession: recorded('getSession', { session: undefined }),
  listSessions: recorded('listSessions', { sessions: [] }),
  endSession: recorded('endSession', {}),
  changePassword: recorded('changePassword', { outcome: undefined, unacceptableCode: '' }),
  grantConsent: recorded('grantConsent', { session: undefined }),
  listUserGroups: recorded('listUserGroups', { groups: [], nextCursor: undefined }),
  listHeldRoles: recorded('listHeldRoles', { roles: [], nextCursor: undefined }),
  listConsents: recorded('listConsents', { consents: [] }),
  withdrawConsent: recorded('withdrawConsent', {}),
  listUsers: recorded('listUsers', { users: [], nextCursor: undefined, total: 0n }),
  listLogins: recorded('listLogins', { logins: [], nextCursor: undefined, cursors: [] }),
  countLogins: recorded('countLogins', { minutes: [] }),
  getLoginProblems: recorded('getLoginProblems', { problems: [], lastFailures: [] }),
  getUser: recorded('getUser', { user: undefined }),
  listFactors: recorded('listFactors', noFactors),
  getSecondFactor: recorded('getSecondFactor', { secondFactor: undefined }),
  proveSecondFactor: recorded('proveSecondFactor', { outcome: undefined }),
  beginPasskeyLogin: recorded('beginPasskeyLogin', {
    options: '{"challenge":"AAAA"}',
    browserSecret: 'p'.repeat(43),
    expiresIn: 600,
  }),
  logInWithPasskey: recorded('logInWithPasskey', { session: undefined }),
  listSocialProviders: recorded('listSocialProviders', { providers: [] }),
  beginSocialLogin: recorded('beginSocialLogin', {
    authorizationUrl: 'https://provider.example/authorize?state=s',
    browserSecret: 'b'.repeat(43),
    expiresIn: 600,
  }),
  finishSocialLogin: recorded('finishSocialLogin', { outcome: undefined }),
})
