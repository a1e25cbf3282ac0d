/** A failure that the person who started the command can fix. Only its message is shown. */
export class SetupFailure extends Error {}
