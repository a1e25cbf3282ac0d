/** The content of a file that tells a program where an API server on this machine is, and the token that it is known by. */
export function kubeconfigFor(port: number, token: string): string {
  const name = 'cluster'
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
}
