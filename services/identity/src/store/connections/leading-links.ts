/**
 * The SQL condition that a link leads to its user: the connection still has the issuer by which they linked it, or one of its own (then the
 * column is null).
 * @param link the alias of identity.connection_links
 * @param connection the alias of identity.connections
 */
export const leadsSql = (link: string, connection: string) => hasIssuerSql(`${link}.issuer`, connection)

/** The SQL condition that a connection has an issuer now. @param issuer the SQL of the issuer */
export const hasIssuerSql = (issuer: string, connection: string) =>
  `(${connection}.issuer is null or ${connection}.issuer = ${issuer})`
