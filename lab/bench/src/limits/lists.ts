import type { Places } from './fill.ts'

/** A list, or a page that shows one. */
export type MeasuredList = {
  /** The name in the report. */
  name: string
  /** The person who asks, and with it where: the administrators' API, or the pages of a member. */
  of: 'administrator' | 'owner'
  path: string
  /** The list of the administrators' API of which a page far behind is asked for. */
  farInto?: string
}

/** The lists of the administrators' API with their searches and filters, by their paths. Each is also asked for a page far behind. */
const administratorsLists = ({ organizationId, ownerId, ...places }: Places) => {
  const inside = `organizations/${organizationId}`
  return {
    organizations: {
      path: 'organizations',
      with: [
        ...['search=company', 'search=co', 'search=any-98', 'search=nothing', 'sort=-created_at'],
        ...['disabled=true', 'slug=company-19'],
      ],
    },
    members: {
      path: `${inside}/members`,
      with: ['search=member', 'search=er-987', 'search=me', 'search=nothing'],
    },
    'groups of an organization': {
      path: `${inside}/groups`,
      with: ['search=group', 'search=up%2098', 'search=nothing', 'sort=-created_at'],
    },
    'members of its group': { path: `${inside}/groups/${places.groupId}/members`, with: ['search=er-987'] },
    "a member's groups": { path: `${inside}/members/${ownerId}/groups`, with: [] },
    invitations: { path: `${inside}/invitations`, with: [] },
    domains: { path: `${inside}/domains`, with: [] },
    groups: {
      path: 'groups',
      with: ['search=group', 'search=up%2098', 'search=nothing', 'sort=-created_at'],
    },
    'members of a group': { path: `groups/${places.instanceGroupId}/members`, with: ['search=er-987'] },
    "a user's groups": { path: `users/${ownerId}/groups`, with: [] },
    "a user's organizations": { path: `users/${ownerId}/organizations`, with: [] },
    "a user's connected accounts": { path: `users/${ownerId}/links`, with: [] },
    connections: {
      path: 'connections',
      with: [
        ...[
          'search=connection',
          'search=on%2019',
          'search=nothing',
          'sort=-created_at',
          'kind=oidc',
          'disabled=true',
        ],
        ...[`organization=${organizationId}`, 'organization=none'],
      ],
    },
    'a connection': { path: `connections/${places.connectionId}`, with: [] },
    'its connected accounts': { path: `connections/${places.connectionId}/links`, with: [] },
  }
}

/** The lists that are short, or no lists at all. */
const short: ReadonlySet<string> = new Set(['domains', 'a connection'])

/** The pages of the owner of an organization. */
const ownersPages = ({ organizationId, memberId, ownerId, ...places }: Places) => {
  const home = `/account/organizations/${organizationId}`
  return {
    'own organizations': '/account/organizations',
    'own connected accounts': '/account/connections',
    overview: home,
    members: `${home}/members`,
    'members, search=er-987': `${home}/members?search=er-987`,
    'a member': `${home}/members/${memberId}`,
    'a member with the most groups': `${home}/members/${ownerId}`,
    'removal of a member': `${home}/members/remove?user_id=${memberId}`,
    invitations: `${home}/invitations`,
    'withdrawal of the oldest invitation': `${home}/invitations/withdraw?invitation_id=${places.invitationId}`,
    domains: `${home}/domains`,
    connections: `${home}/connections`,
    'a connection': `${home}/connections/${places.connectionId}`,
    'its mapping': `${home}/connections/${places.connectionId}/mapping`,
    'a new connection': `${home}/connections/new?kind=oidc`,
    settings: `${home}/settings`,
  }
}

/** All lists and pages that are measured. */
export function measuredLists(places: Places): MeasuredList[] {
  const all = Object.entries(administratorsLists(places)).flatMap(([name, { path, with: queries }]) => {
    const list = { name, of: 'administrator' as const, path: `/admin/api/${path}` }
    return [
      list,
      ...queries.map((query) => ({
        ...list,
        name: `${name}, ${shortened(query)}`,
        path: `${list.path}?${query}`,
      })),
      ...(short.has(name) ? [] : [{ ...list, name: `${name}, far behind`, farInto: list.path }]),
    ]
  })
  const pages = Object.entries(ownersPages(places)).map(([name, path]) => ({
    name,
    of: 'owner' as const,
    path,
  }))
  const home = `/account/organizations/${places.organizationId}`
  const members = `/admin/api/organizations/${places.organizationId}/members`
  return [
    ...all,
    ...pages,
    { name: 'members, far behind', of: 'owner', path: `${home}/members`, farInto: members },
  ]
}

function shortened(query: string): string {
  return decodeURIComponent(query.replace(/=org_.*/, '=…'))
}
