/** Turns the text around it (bidi controls), breaks the line, or is no character at all. */
const control = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * What is drawn as nothing, so that two names look alike: format characters, fillers, the empty Braille pattern, the object
 * replacement character, the empty note head.
 */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/u

/** What can be seen by itself: a letter, a number, a punctuation mark or a symbol. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Invisible characters that have a meaning where they stand: in an emoji, and between letters of these scripts. */
const meaningful =
  /\p{RGI_Emoji}|(?<=[\p{Script_Extensions=Arabic}\p{Script_Extensions=Devanagari}\p{Script_Extensions=Bengali}\p{Script_Extensions=Gujarati}\p{Script_Extensions=Gurmukhi}\p{Script_Extensions=Kannada}\p{Script_Extensions=Malayalam}\p{Script_Extensions=Oriya}\p{Script_Extensions=Sinhala}\p{Script_Extensions=Tamil}\p{Script_Extensions=Telugu}])[\u200c\u200d]/gv

/**
 * Whether people see a name as what it is. They decide by it, on the consent page for example.
 * @returns what is wrong with it, as the end of "client_name …", or undefined
 */
export function visibleTextFault(text: string): string | undefined {
  if (control.test(text)) return 'has a control character'
  if (invisible.test(text.replace(meaningful, ''))) return 'has an invisible character'
  if (!visible.test(text)) return 'has no visible character'
  return undefined
}
