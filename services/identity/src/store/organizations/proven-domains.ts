/** The SQL condition that an organization has proven a domain, and has not lost it. @param domain the alias of identity.organization_domains */
export const isProvenSql = (domain: string) => `${domain}.proven_at is not null and ${domain}.lost_at is null`
