import type { Texts } from './en.ts'

export const texts = {
  logIn: 'Se connecter avec une clé d’accès',
  use: 'Utiliser une clé d’accès',
  refused: 'Cette clé d’accès n’a pas été acceptée. Réessayez, ou connectez-vous autrement.',
  cancelled: 'La clé d’accès n’a pas été utilisée : l’opération a été annulée ou a pris trop de temps.',
  unsupported: 'Ce navigateur ne permet pas d’utiliser des clés d’accès.',
  noScript: 'Les clés d’accès ont besoin de JavaScript, qui est désactivé dans ce navigateur.',
} satisfies Texts
