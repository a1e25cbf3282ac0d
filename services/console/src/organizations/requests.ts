import type {
  MemberInvitation,
  OrganizationChange,
  OrganizationMembersChange,
  OrganizationToCreate,
} from '@gatehouse/admin-api/generated/openapi'
import { api, dataOf } from '../api.ts'

/** The parameters of a request about an organization. */
export const atOrganization = (id: string) => ({ params: { path: { organization_id: id } } })

/** Creates an organization. */
export function createOrganization(body: OrganizationToCreate) {
  return dataOf(api.POST('/admin/api/organizations', { body }))
}

/** Changes an organization, disables it or enables it. */
export function changeOrganization(id: string, body: OrganizationChange) {
  return dataOf(api.PATCH('/admin/api/organizations/{organization_id}', { ...atOrganization(id), body }))
}

/** Deletes an organization for good. */
export function deleteOrganization(id: string) {
  return dataOf(api.DELETE('/admin/api/organizations/{organization_id}', atOrganization(id)))
}

/** Makes users members, changes their roles, and removes members. @returns a result for each */
export function changeOrganizationMembers(id: string, body: OrganizationMembersChange) {
  return dataOf(
    api.PATCH('/admin/api/organizations/{organization_id}/members', { ...atOrganization(id), body }),
  )
}

/** Invites somebody by mail to be a member. */
export function inviteMember(id: string, body: MemberInvitation) {
  return dataOf(
    api.POST('/admin/api/organizations/{organization_id}/invitations', { ...atOrganization(id), body }),
  )
}

const atInvitation = (id: string, invitationId: string) => ({
  params: { path: { organization_id: id, invitation_id: invitationId } },
})

/** Sends an invitation again, with a new link. */
export function sendInvitationAgain(id: string, invitationId: string) {
  return dataOf(
    api.POST(
      '/admin/api/organizations/{organization_id}/invitations/{invitation_id}/resend',
      atInvitation(id, invitationId),
    ),
  )
}

/** Withdraws an invitation. */
export function withdrawMemberInvitation(id: string, invitationId: string) {
  return dataOf(
    api.DELETE(
      '/admin/api/organizations/{organization_id}/invitations/{invitation_id}',
      atInvitation(id, invitationId),
    ),
  )
}

/** Adds a domain, which a TXT record must then prove. */
export function addDomain(id: string, domain: string) {
  const body = { domain }
  return dataOf(
    api.POST('/admin/api/organizations/{organization_id}/domains', { ...atOrganization(id), body }),
  )
}

const atDomain = (id: string, domain: string) => ({ params: { path: { organization_id: id, domain } } })

/** Looks for the record of a domain now. @returns the domain, and why it is not proven if it is not */
export function proveDomain(id: string, domain: string) {
  return dataOf(
    api.POST('/admin/api/organizations/{organization_id}/domains/{domain}/proof', atDomain(id, domain)),
  )
}

/** Removes a domain. */
export function removeDomain(id: string, domain: string) {
  return dataOf(
    api.DELETE('/admin/api/organizations/{organization_id}/domains/{domain}', atDomain(id, domain)),
  )
}
