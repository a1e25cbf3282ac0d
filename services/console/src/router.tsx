import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { FailedPage } from './parts/failed-page.tsx'
import { Frame } from './shell/frame.tsx'
import { NotFound } from './shell/not-found.tsx'

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound, errorComponent: FailedPage })
const at = (path: string) => ({ getParentRoute: () => root, path }) as const

const pages = [
  createRoute({
    ...at('/'),
    component: lazyRouteComponent(() => import('./dashboard/dashboard.tsx'), 'Dashboard'),
  }),
  createRoute({ ...at('/start'), component: lazyRouteComponent(() => import('./start/start.tsx'), 'Start') }),
  createRoute({
    ...at('/clients'),
    component: lazyRouteComponent(() => import('./clients/client-list.tsx'), 'ClientList'),
  }),
  createRoute({
    ...at('/clients/new'),
    component: lazyRouteComponent(() => import('./clients/new-client.tsx'), 'NewClient'),
  }),
  createRoute({
    ...at('/clients/$clientId'),
    component: lazyRouteComponent(() => import('./clients/client-page.tsx'), 'ClientPage'),
  }),
  createRoute({
    ...at('/users'),
    component: lazyRouteComponent(() => import('./users/user-list.tsx'), 'UserList'),
  }),
  createRoute({
    ...at('/users/new'),
    component: lazyRouteComponent(() => import('./users/new-user.tsx'), 'NewUser'),
  }),
  createRoute({
    ...at('/users/$userId'),
    component: lazyRouteComponent(() => import('./users/user-page.tsx'), 'UserPage'),
  }),
  createRoute({
    ...at('/groups'),
    component: lazyRouteComponent(() => import('./groups/group-list.tsx'), 'GroupList'),
  }),
  createRoute({
    ...at('/groups/new'),
    component: lazyRouteComponent(() => import('./groups/new-group.tsx'), 'NewGroup'),
  }),
  createRoute({
    ...at('/groups/$groupId'),
    component: lazyRouteComponent(() => import('./groups/group-page.tsx'), 'GroupPage'),
  }),
  createRoute({
    ...at('/organizations'),
    component: lazyRouteComponent(() => import('./organizations/organization-list.tsx'), 'OrganizationList'),
  }),
  createRoute({
    ...at('/organizations/new'),
    component: lazyRouteComponent(() => import('./organizations/new-organization.tsx'), 'NewOrganization'),
  }),
  createRoute({
    ...at('/organizations/$organizationId'),
    component: lazyRouteComponent(() => import('./organizations/organization-page.tsx'), 'OrganizationPage'),
  }),
  createRoute({
    ...at('/organizations/$organizationId/groups/new'),
    component: lazyRouteComponent(() => import('./groups/new-group.tsx'), 'NewGroup'),
  }),
  createRoute({
    ...at('/organizations/$organizationId/groups/$groupId'),
    component: lazyRouteComponent(() => import('./groups/group-page.tsx'), 'GroupPage'),
  }),
  createRoute({
    ...at('/organizations/$organizationId/members/$userId'),
    component: lazyRouteComponent(() => import('./organizations/member-page.tsx'), 'MemberPage'),
  }),
  createRoute({
    ...at('/connections'),
    component: lazyRouteComponent(() => import('./connections/connection-list.tsx'), 'ConnectionList'),
  }),
  createRoute({
    ...at('/connections/new'),
    component: lazyRouteComponent(() => import('./connections/new-connection.tsx'), 'NewConnection'),
  }),
  createRoute({
    ...at('/connections/$connectionId'),
    component: lazyRouteComponent(() => import('./connections/connection-page.tsx'), 'ConnectionPage'),
  }),
  createRoute({
    ...at('/resources'),
    component: lazyRouteComponent(() => import('./resources/resource-list.tsx'), 'ResourceList'),
  }),
  createRoute({
    ...at('/resources/new'),
    component: lazyRouteComponent(() => import('./resources/new-resource.tsx'), 'NewResource'),
  }),
  createRoute({
    ...at('/resources/$resourceId'),
    component: lazyRouteComponent(() => import('./resources/resource-page.tsx'), 'ResourcePage'),
  }),
  createRoute({
    ...at('/tokens'),
    component: lazyRouteComponent(() => import('./tokens/token-list.tsx'), 'TokenList'),
  }),
  createRoute({
    ...at('/activity'),
    component: lazyRouteComponent(() => import('./activity/activity.tsx'), 'Activity'),
  }),
  createRoute({ ...at('/keys'), component: lazyRouteComponent(() => import('./keys/keys.tsx'), 'Keys') }),
  createRoute({
    ...at('/mails'),
    component: lazyRouteComponent(() => import('./mails/mail-list.tsx'), 'MailList'),
  }),
  createRoute({
    ...at('/events'),
    component: lazyRouteComponent(() => import('./events/events.tsx'), 'Events'),
  }),
  createRoute({
    ...at('/events/$eventId'),
    component: lazyRouteComponent(() => import('./events/delivery-page.tsx'), 'DeliveryPage'),
  }),
  createRoute({
    ...at('/mails/$mailId'),
    component: lazyRouteComponent(() => import('./mails/mail-page.tsx'), 'MailPage'),
  }),
]

const base = '/admin'

/**
 * Where the console is. The router's own `basepath` would make `/admin/` the address of the first page; each page has one address, and
 * none ends with a slash.
 */
const addresses = {
  input({ url }: { url: URL }) {
    if (url.pathname === base || url.pathname.startsWith(`${base}/`))
      url.pathname = url.pathname.slice(base.length).replace(/\/+$/, '') || '/'
    return url
  },
  output({ url }: { url: URL }) {
    url.pathname = base + url.pathname.replace(/\/+$/, '')
    return url
  },
}

/** The pages of the console, each loaded when it is first opened. The part of an address after the `?` is plain text. */
export const router = createRouter({
  routeTree: root.addChildren(pages),
  rewrite: addresses,
  defaultPreload: 'intent',
  // A page about something else begins anew: it must show no secret of what was there before.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (values) => {
    const text = new URLSearchParams(values as Record<string, string>).toString()
    return text && `?${text}`
  },
})
