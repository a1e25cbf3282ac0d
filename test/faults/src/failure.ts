/** What a person who started the command can mend: its message is all that is shown. */
export class SoakFailure extends Error {}
