/**
 * Gets the library for what authenticators sign. It is loaded when somebody first uses a passkey: its 250 modules were a sixth of
 * the CPU time of the process's start.
 */
export async function webauthnLibrary() {
  const [library, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  return { ...library, ...helpers }
}
