/** Characters that change the direction of text (bidi controls), break the line, or are not characters at all. */
const control = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * Characters that draw nothing, so that two names can look alike: format characters, fillers, the empty Braille
 * pattern, the object replacement character, the empty note head.
 */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/u

/** Characters that are visible by themselves: letters, numbers, punctuation marks and symbols. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * Checks that people can read a name: they rely on it, for example on the consent page.
 * @returns the fault of the name, as the end of "client_name …", or undefined
 */
export function visibleTextFault(text: string): string | undefined {
  if (control.test(text)) return 'has a control character'
  if (invisible.test(withoutMeaningful(text))) return 'has an invisible character'
  if (!visible.test(text)) return 'has no visible character'
  return undefined
}

/** A text without the invisible characters that have a meaning: in an emoji, and after letters of these scripts. */
function withoutMeaningful(text: string): string {
  // Here, and not above: to make it takes 25 ms, which not every process needs at its start.
  const meaningful =
    /\p{RGI_Emoji}|(?<=[\p{Script_Extensions=Arabic}\p{Script_Extensions=Devanagari}\p{Script_Extensions=Bengali}\p{Script_Extensions=Gujarati}\p{Script_Extensions=Gurmukhi}\p{Script_Extensions=Kannada}\p{Script_Extensions=Malayalam}\p{Script_Extensions=Oriya}\p{Script_Extensions=Sinhala}\p{Script_Extensions=Tamil}\p{Script_Extensions=Telugu}])[\u200c\u200d]/gv
  return text.replace(meaningful, '')
}
