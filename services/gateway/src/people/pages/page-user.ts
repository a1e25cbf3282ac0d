/** The user of the session, as pages show them. */
export type PageUser = { username: string; admin: boolean; adminRole?: string | undefined }
