import { byMailEn } from './by-mail/en.ts'
import { factorsEn } from './factors/en.ts'
import { minutesIn, waitIn } from './factors/time.ts'
import { loginsEn } from './logins/en.ts'
import { ownAccountEn } from './own-account/en.ts'

const startAgain = 'Go back to the login page and start again.'
const appIsWrong = 'Go back to the app and try again. If it happens again, tell the people who make the app.'
const answeredOrOld = 'This page was answered already or is too old.'

/** The words of an error page: what happened, why, and what people can do. */
type Explained = { heading: string; description: string; advice: string }

/** The pages for people in English: the catalogue after which those of the other languages are typed. */
export const en = {
  layout: {
    navigation: 'Account',
    administration: 'Administration',
    account: 'Account',
    logOut: 'Log out',
    about: 'About this server',
    terms: 'Terms of service',
    privacy: 'Privacy',
    support: 'Help',
  },
  passwords: { show: 'Show', hide: 'Hide' },
  login: {
    heading: 'Log in',
    toContinueTo: (app: string) => `to continue to ${app}`,
    again: (user: string) => `You are logged in as ${user}. To continue, log in again.`,
    loggedIn: (user: string, link: string) =>
      `You are logged in as ${user}. ${link}, or log in as somebody else.`,
    continue: 'Continue',
    toAccount: 'Go to your account',
    username: 'User name or e-mail address',
    password: 'Password',
    submit: 'Log in',
    providers: 'Or log in with',
    missing: 'Enter your user name and your password.',
    wrong: 'The user name or the password is wrong. Check both and try again.',
    tooMany: (seconds: number) =>
      `Too many failed logins. Please try again later, ${minutesIn('en', seconds)}.`,
  },
  consent: {
    title: (app: string) => `Allow ${app}?`,
    heading: (app: string) => `${app} wants access to your account`,
    document: (host: string) =>
      `This app is not registered here. ${host} describes it, and has chosen its name.`,
    selfRegistered: 'Nobody has checked this app.',
    anyProgram:
      'This app runs on your own device, and any other program there can pose as it. Allow this only if you have just started the app yourself.',
    lead: (user: string, app: string) => `You are logged in as ${user}. If you allow it, ${app} can:`,
    destination: (destination: string) =>
      `Afterwards you go back to ${destination}. Allow this only if you came from there.`,
    allow: 'Allow',
    deny: 'Deny',
    withdraw: (link: string) => `You can withdraw this access at any time in ${link}.`,
    yourAccount: 'your account',
    aboutApp: (app: string) => `About ${app}`,
    policy: 'Privacy policy',
    terms: 'Terms of service',
    noDecision: 'The decision is missing: allow or deny.',
    over: `${answeredOrOld} Go back to the app and start again if it still needs access.`,
    sessionOver: 'Your session ended while this page was open, so the app got no access.',
    /** The app of a private-use scheme, where a web app's host would stand. */
    appOfScheme: (scheme: string) => `the app ${scheme}`,
  },
  scopes: {
    known: {
      read: 'Read your data',
      write: 'Change your data',
      profile: 'See your name and profile',
      email: 'See your e-mail address',
      openid: 'Recognize you when you log in',
      offline_access: 'Keep its access while you are away',
    },
    other: (scope: string) => `Use “${scope}”`,
    ofServer: (server: string, words: string) => `${server}: ${words}`,
  },
  account: {
    heading: 'Your account',
    loggedInAs: (user: string) => `You are logged in as ${user}.`,
    administrator: (user: string) => `You are logged in as ${user}, an administrator.`,
    details: 'Your details',
    noDetails: 'Nothing is known about you but your user name.',
    changeDetails: 'Change your details',
    apps: 'Apps with access to your account',
    since: (time: string) => `since ${time}`,
    withdraw: 'Withdraw',
    withdrawFrom: (app: string) => `Withdraw access of ${app}`,
    withdrawHint: 'An app whose access you withdraw stops working at once, until you use it to log in again.',
    noApps: 'None. An app that you use with your account is listed here.',
    appsMissing: 'Some apps may be missing here at the moment. Look again in a minute.',
    deletedApp: (clientId: string) => `${clientId} (deleted)`,
    sessions: 'Where you are logged in',
    thisBrowser: 'this browser',
    from: (address: string) => `from ${address}`,
    logOut: 'Log out',
    logOutHere: 'Log out here',
    logOutOf: (browser: string, since: string) => `Log out ${browser}, since ${since}`,
    providers: 'How you log in',
    as: (name: string) => `as ${name}`,
    done: {
      session: 'That session has ended.',
      app: 'The access is withdrawn: the app’s tokens no longer work.',
      details: 'Your details are saved.',
      password: 'Your password is changed. Your other sessions have ended, and apps have lost their access.',
      'password-only': 'Your password is changed. Your other sessions and your apps keep their access.',
    },
  },
  password: {
    change: 'Change your password',
    current: 'Current password',
    new: 'New password',
    rule: (least: number) => `At least ${least} characters.`,
    again: 'Repeat the new password',
    keepAccess: 'Stay logged in elsewhere, and let apps keep their access',
    keepAccessHint:
      'Leave this unchecked if somebody else may know your current password: you are then logged out everywhere else, and every app loses its access.',
    submit: 'Change password',
    yours: 'Your password',
    notNeeded: (providers: string) =>
      `You do not need a password here: you log in with ${providers}. If you want one, ask an administrator.`,
    differ: 'The two new passwords differ. Nothing was changed.',
    wrong: 'The current password is wrong. Nothing was changed.',
    /** @param reason why it cannot be used, as a sentence in English */
    unacceptable: (reason: string) => reason,
  },
  browser: {
    programOn: (device: string) => `A program on ${device}`,
    unknown: 'An unknown program',
    on: (browser: string, device: string) => `${browser} on ${device}`,
  },
  details: {
    heading: 'Your details',
    lead: 'Apps that you allow to see your profile get these. What is empty is not shown to anybody.',
    addressByAdministrators: 'Only an administrator can change your e-mail address.',
    save: 'Save',
    back: 'Back to your account',
    yes: 'yes',
    no: 'no',
    choices: { yes: 'Yes', no: 'No', none: 'Not said', leave: (now: string) => `Leave as it is: ${now}` },
    /** The fault of a value, by the kind of attribute. */
    faults: {
      text: (label: string, most: number) =>
        `“${label}” must be a text of 1 to ${most} characters that people can see.`,
      picture: (label: string) => `“${label}” must be an https URL without a password.`,
      language: (label: string) => `“${label}” must be a language tag, such as en or de-CH.`,
      zone: (label: string) => `“${label}” must be a time zone, such as Europe/Berlin.`,
    },
  },
  factors: factorsEn,
  logins: loginsEn,
  logout: {
    title: 'Log out?',
    heading: (brand: string) => `Log out of ${brand}?`,
    loggedInAs: (user: string) => `You are logged in as ${user}.`,
    asked: (app: string) => `${app} asks you to log out.`,
    explanation: 'Logging out ends your session in this browser. The apps that you logged in to are told.',
    destination: (destination: string) => `Afterwards you go to ${destination}.`,
    submit: 'Log out',
    stay: 'Stay logged in',
    noDecision: 'The decision is missing.',
    over: `${answeredOrOld} Open your account to log out.`,
  },
  start: {
    lead: 'Log in to apps with one account.',
    account: 'Your account',
    accountText: 'Your profile, password, second factors and apps.',
    console: 'Console',
    consoleText: 'For administrators: apps, users and activity.',
    documentation: 'Documentation',
    documentationText: 'How to build apps on this server, run it and administer it. In English.',
    api: 'API reference',
    apiText: 'For developers: every endpoint, to read and to try.',
    metadata: 'Server metadata',
    metadataText: 'For client libraries: the addresses of all endpoints.',
  },
  loggedOut: {
    heading: 'You are logged out',
    lead: 'You can close this page now.',
    continueTo: (destination: string) => `Continue to ${destination}`,
    again: 'Log in again',
  },
  social: {
    unreachable: (provider: string): Explained => ({
      heading: `${provider} does not answer`,
      description: `${provider} does not answer at the moment.`,
      advice: 'You were not logged in. Try again in a minute, or log in another way.',
    }),
    notOffered: (provider: string): Explained => ({
      heading: `${provider} is not available here`,
      description: `Logging in through ${provider} is not available on this server.`,
      advice: 'Log in another way.',
    }),
    notConfigured: (provider: string): Explained => ({
      heading: `${provider} is not set up here`,
      description: `Logging in through ${provider} is not set up on this server.`,
      advice: 'Log in another way. An administrator can set it up.',
    }),
    unknownLogin: {
      heading: 'This login has ended',
      description: 'The login was finished already, took too long, or was begun in another browser.',
      advice: startAgain,
    },
    denied: (provider: string): Explained => ({
      heading: 'You were not logged in',
      description: `${provider} says that the login was cancelled or is not allowed.`,
      advice: 'If you did not mean to cancel it, go back to the login page and start again.',
    }),
    disabled: {
      heading: 'You may not log in',
      description: 'Your account here is disabled.',
      advice: 'Ask an administrator to enable your account.',
    },
    untrusted: (provider: string): Explained => ({
      heading: `Something is wrong with ${provider}’s answer`,
      description: `The answer of ${provider} cannot be trusted, so you were not logged in.`,
      advice: `${startAgain} If it happens again, tell an administrator.`,
    }),
    unknownProvider: 'There is no login provider of this name.',
    toLogin: 'Go to the login page',
  },
  error: {
    toAccount: 'Go to your account',
    toDocumentation: 'Documentation: the meaning of each error',
    details: 'Details for developers',
    code: 'Error',
    description: 'Description',
    trace: 'Trace id',
    otherSite: (ours: string) =>
      `This form was not sent from a page of this server. Open ${ours} and try again there.`,
    wait: (seconds: number) => `You can try again ${waitIn('en', seconds)}.`,
    other: { heading: 'This does not work', advice: appIsWrong },
    byCode: {
      invalid_request: { heading: 'This request does not work', advice: appIsWrong },
      invalid_client: { heading: 'This app is not known here', advice: appIsWrong },
      access_denied: {
        heading: 'You may not do this',
        advice: 'If you think that you should, ask an administrator.',
      },
      login_required: {
        heading: 'Your session has ended',
        advice: 'Go back to where you came from and start again: you will be asked to log in.',
      },
      not_found: {
        heading: 'Page not found',
        advice: 'Check the address. If a link brought you here, it is out of date.',
      },
      method_not_allowed: {
        heading: 'This page does not exist',
        advice: 'Go back to where you came from and start again.',
      },
      rate_limit_exceeded: { heading: 'Too many requests', advice: 'Wait a moment, then reload the page.' },
      temporarily_unavailable: {
        heading: 'One moment, please',
        advice: 'This server is busy or starting. Reload the page in a few seconds.',
      },
      server_error: {
        heading: 'Something went wrong',
        advice: 'It is not your fault. Try again; if it happens again, tell an administrator.',
      },
    },
  },
  byMail: byMailEn,
  ownAccount: ownAccountEn,
}

/** The texts of the pages for people, in one language. */
export type Texts = typeof en
