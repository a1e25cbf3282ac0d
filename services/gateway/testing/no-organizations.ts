/** Makes a call that is recorded, and has an answer. */
type Recorded = <Answer>(name: string, answer: Answer) => (request: unknown) => Promise<Answer>

/** The calls about organizations where there are none. */
export const noOrganizations = (recorded: Recorded) => ({
  findMemberships: recorded('findMemberships', { answers: [{ memberships: [] }] }),
  listUserOrganizations: recorded('listUserOrganizations', { organizations: [], nextCursor: undefined }),
  listMembers: recorded('listMembers', { members: [], nextCursor: undefined, total: 0n }),
  listInvitations: recorded('listInvitations', { invitations: [], nextCursor: undefined }),
  listDomains: recorded('listDomains', { domains: [] }),
  getInvitation: recorded('getInvitation', {
    ...{ invitation: undefined, organization: undefined, addressKnown: false, maySignUp: false },
  }),
})

/** The calls about connections where there are none. */
export const noConnections = (recorded: Recorded) => ({
  listConnections: recorded('listConnections', { connections: [], nextCursor: undefined, total: 0n }),
  listLinks: recorded('listLinks', { links: [], nextCursor: undefined }),
  listOffers: recorded('listOffers', { offers: [], byAddress: false }),
  getOffer: recorded('getOffer', { offer: undefined, takesByAddress: false }),
  findByAddress: recorded('findByAddress', { connectionId: undefined }),
  endUpstream: recorded('endUpstream', { accepted: false }),
  getClientKeys: recorded('getClientKeys', { jwks: undefined }),
})
