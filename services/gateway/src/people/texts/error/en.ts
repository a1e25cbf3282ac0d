import { waitIn } from '../time.ts'

const appIsWrong = 'Go back to the app and try again. If it happens again, tell the people who make the app.'

/** The error page. */
export const texts = {
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
}

/** These texts in one language. */
export type Texts = typeof texts
