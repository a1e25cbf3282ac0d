import { relative } from 'node:path'
import { styleText } from 'node:util'

/** The content of the summary. */
export type SummaryFacts = {
  baseUrl: string
  username: string
  /** The password that was generated at this start. */
  password?: string
  dataDirectory: string
  /** Where the database is, if it is not in the data directory. */
  databaseDirectory?: string
  /** Where mails are files, unless a mail server takes them. */
  mailDirectory?: string
  /** OAUTH2_REGISTRATION: open, token or closed. */
  registration: string
  /** Whether the system is an OpenID provider. */
  openid: boolean
  /** How long the start took, in milliseconds. */
  milliseconds: number
}

/** Where the command line looks for the system. */
const defaultUrl = 'http://localhost:8080'

/**
 * The summary for people when the system runs.
 * @param colours whether the terminal shows colours
 * @param workingDirectory paths below it are shown relative to it
 */
export function renderSummary(
  facts: SummaryFacts,
  colours: boolean,
  workingDirectory = process.cwd(),
): string {
  const paint = (format: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(format, text, { validateStream: false }) : text
  const row = (label: string, text: string, note = '') =>
    `  ${paint('dim', label.padEnd(10))}${text}${note && `  ${paint('dim', note)}`}`
  const data = shorten(facts.dataDirectory, workingDirectory)
  const seconds = (facts.milliseconds / 1000).toFixed(1)
  const lines = [
    '',
    `  ${paint(['bold', 'green'], '●')} ${paint('bold', 'Gatehouse is running')}  ${paint('dim', `ready in ${seconds} s`)}`,
    '',
    row('URL', paint(['bold', 'cyan'], facts.baseUrl)),
    row('Admin', paint('cyan', `${facts.baseUrl}/admin`)),
  ]
  if (facts.password) {
    lines.push(
      row('', `user ${paint('bold', facts.username)}, password ${paint('bold', facts.password)}`),
      row(
        '',
        paint('yellow', 'Write it down: it is not shown again. If it is lost: ./gatehouse admin recover'),
      ),
    )
  }
  lines.push(
    ...(facts.openid ? [row('OpenID', `${facts.baseUrl}/.well-known/openid-configuration`)] : []),
    row('Data', data, facts.databaseDirectory ? `the database is in ${facts.databaseDirectory}` : ''),
    row('Logs', `${data}/logs`),
    ...(facts.mailDirectory
      ? [
          row(
            'Mails',
            shorten(facts.mailDirectory, workingDirectory),
            'files, since OAUTH2_SMTP_URL is not set',
          ),
        ]
      : []),
    '',
    ...(facts.openid ? firstApp(facts) : firstToken(facts)).map((line) => `  ${line}`),
    '',
    `  ${paint('dim', 'Ctrl-C stops everything.')}`,
    '',
  )
  return `${lines.join('\n')}\n`

  function firstApp({ baseUrl }: SummaryFacts): string[] {
    return [
      paint('dim', 'A client for an app that logs people in (asks for the password of the administrator):'),
      '',
      `${baseUrl === defaultUrl ? '' : `GATEHOUSE_URL=${baseUrl} `}./gatehouse clients create --name "My app" \\`,
      '  --redirect-uri http://localhost:3000/callback --scope "openid profile email" \\',
      '  --grant-type authorization_code --grant-type refresh_token',
    ]
  }

  function firstToken({ baseUrl, registration }: SummaryFacts): string[] {
    if (registration === 'closed') {
      return [paint('dim', 'Registration is closed: create a client on the admin page for a first token.')]
    }
    const client = '{"client_name":"first","grant_types":["client_credentials"],"scope":"read"}'
    const bearer = registration === 'token' ? ' -H "authorization: Bearer $OAUTH2_REGISTRATION_TOKEN"' : ''
    const credentials = 'c=JSON.parse(fs.readFileSync(0));c.client_id+":"+c.client_secret'
    return [
      paint('dim', 'A first token (registers a client, then asks for a token as that client):'),
      '',
      `curl -s ${baseUrl}/oauth/token -d grant_type=client_credentials -d scope=read -u "$(`,
      `  curl -s ${baseUrl}/clients/register -H 'content-type: application/json'${bearer} \\`,
      `    -d '${client}' |`,
      `  node -p '${credentials}')"`,
    ]
  }
}

function shorten(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path)
  return short === '' || short.startsWith('..') ? path : short
}
