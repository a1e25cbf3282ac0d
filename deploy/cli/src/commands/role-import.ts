import type { Command } from 'commander'
import { type CommandDeps, repeated } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { addImportOptions, addRealmOption } from '../import/import-options.ts'
import { type Survey, surveyRealms } from '../import/keycloak-file.ts'
import {
  clientEntries,
  flatAuthority,
  groupEntries,
  groupGiftEntries,
  roleEntries,
  userGiftEntries,
} from '../import/roles/entries.ts'
import { notesOn } from '../import/roles/notes.ts'
import { readAuthority } from '../import/roles/realm-authority.ts'
import type { RoleRef } from '../import/roles/role-refs.ts'
import { openSending } from '../import/roles/sending.ts'
import { type ChosenIdentifiers, serversOf } from '../import/roles/servers.ts'
import { type ImportOptions, phase, runPhases } from '../import/run-import.ts'

type RoleImportOptions = ImportOptions & {
  realm?: string
  realmIdentifier?: string
  identifier?: string[]
  byName?: boolean
}

/** The room of a batch: its items are sorted by what is given, and each request gives one thing to as many as it may. */
const batchSize = 5_000

/** gatehouse roles import */
export function addRoleImport(roles: Command, deps: CommandDeps): void {
  const command = addImportOptions(roles.command('import <file...>')).description(
    'import groups, roles and those who have them from an export of Keycloak, after its users and clients',
  )
  addRealmOption(command)
  command
    .option(
      '--realm-identifier <uri>',
      'the identifier of the resource server that has the roles of the realm',
    )
    .addOption(
      repeated(
        '--identifier <client=uri>',
        'the identifier of the resource server that has the roles of a client; may be repeated',
      ),
    )
    .option('--by-name', 'find users whose id is unknown by their name; without it, they are invalid')
    .action((files: string[], options: RoleImportOptions) => importRoles(files, options, deps))
}

async function importRoles(
  files: readonly string[],
  { realm, realmIdentifier, identifier, byName = false, ...options }: RoleImportOptions,
  { perform, terminal }: CommandDeps,
): Promise<void> {
  if (files.includes('-'))
    throw new CommandFailure(
      'Name files: they are read twice, which standard input cannot be.',
      exitCodes.usage,
    )
  const survey = await surveyRealms(files, 'roles', () => true, realm, terminal)
  const authority = await readAuthority(files, survey, terminal)
  const flat = flatAuthority(authority)
  if (flat.groups.size + flat.roles.size === 0)
    throw new CommandFailure('The files have no groups and no roles. Name the file of the realm, too.')
  const chosen: ChosenIdentifiers = { realmIdentifier, identifiers: identifier }
  const servers = serversOf(authority.realm, flat.clientsWithRoles, chosen)
  const notes = [...survey.notes, ...notesOn(authority, flat, servers)]
  const serviceAccounts = new Map<string, RoleRef[]>()
  const common = { sizeOf: () => 1, batchSize }
  await perform(async (api) => {
    const dryRun = options.dryRun ?? false
    const send = await openSending(api, { servers: [...servers.values()], dryRun, byName })
    const parts = { flat, servers }
    const users = userGiftEntries(files, survey, serviceAccounts, terminal, parts)
    return runPhases(
      [
        phase({ ...common, entries: saying(notes), nameField: '', send: send.groups }),
        phase({
          ...common,
          batchSize: 100,
          entries: groupEntries(flat),
          nameField: 'group',
          send: send.groups,
        }),
        // The roles of a resource server are changed by one request after the other.
        phase({ ...common, parallel: 1, entries: roleEntries(parts), nameField: 'role', send: send.roles }),
        phase({ ...common, entries: groupGiftEntries(parts), nameField: 'group', send: send.gifts }),
        phase({ ...common, entries: users, nameField: 'username', send: send.gifts }),
        phase({
          ...common,
          ...{ batchSize: 100, nameField: 'client_id', send: send.clients },
          entries: clientEntries(authority.clients, serviceAccounts, parts),
        }),
      ],
      options,
      terminal,
    )
  })
}

async function* saying(notes: Survey['notes']) {
  for (const note of notes) yield { note }
}
