import { join } from 'node:path'

/** The administrator of Keycloak, whom it creates when it starts with an empty database. */
export const keycloakAdministrator = { username: 'admin', password: 'the password of the administrator' }

/**
 * The command that starts Keycloak in production mode, with http and logging warnings only.
 * @param home its distribution
 */
export function keycloakCommand(
  home: string,
  { databaseUrl, port, managementPort }: { databaseUrl: string; port: number; managementPort: number },
): { path: string; argv: string[]; environment: Record<string, string> } {
  const { username, password, host, pathname } = new URL(databaseUrl)
  const options = {
    'db-url': `jdbc:postgresql://${host}${pathname}`,
    'db-username': username,
    'http-enabled': 'true',
    'http-host': '127.0.0.1',
    'http-port': String(port),
    'http-management-port': String(managementPort),
    'hostname-strict': 'false',
    'log-level': 'warn',
  }
  return {
    path: join(home, 'bin', 'kc.sh'),
    argv: ['start', '--optimized', ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)],
    environment: {
      KC_DB_PASSWORD: password,
      KC_BOOTSTRAP_ADMIN_USERNAME: keycloakAdministrator.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: keycloakAdministrator.password,
    },
  }
}
