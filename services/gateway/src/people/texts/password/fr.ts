import type { Texts } from './en.ts'

export const texts = {
  change: 'Modifier votre mot de passe',
  current: 'Mot de passe actuel',
  new: 'Nouveau mot de passe',
  rule: (least) => `Au moins ${least} caractères.`,
  again: 'Répéter le nouveau mot de passe',
  keepAccess: 'Rester connecté ailleurs et laisser leur accès aux applications',
  keepAccessHint:
    'Laissez cette case vide si quelqu’un d’autre connaît peut-être votre mot de passe actuel : vous serez alors déconnecté partout ailleurs et toutes les applications perdront leur accès.',
  submit: 'Modifier le mot de passe',
  yours: 'Votre mot de passe',
  notNeeded: (providers) =>
    `Vous n’avez pas besoin de mot de passe ici : vous vous connectez avec ${providers}. Si vous en voulez un, adressez-vous à l’administration.`,
  differ: 'Les deux nouveaux mots de passe sont différents. Rien n’a été modifié.',
  wrong: 'Le mot de passe actuel est incorrect. Rien n’a été modifié.',
  unacceptable: () => 'Ce nouveau mot de passe n’est pas accepté. Choisissez-en un autre.',
  show: 'Afficher',
  hide: 'Masquer',
  faults: {
    too_short: (least) => `Le mot de passe doit avoir au moins ${least} caractères.`,
    too_long: 'Le mot de passe est trop long.',
    too_common:
      'C’est l’un des mots de passe les plus courants, ceux que l’on devine en premier. Choisissez-en un autre.',
    like_name: 'Le mot de passe ne doit pas être votre nom d’utilisateur ni votre adresse e-mail.',
    taken: 'Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.',
    an_address: 'Le nom d’utilisateur ne doit pas être l’adresse e-mail de quelqu’un d’autre.',
    a_link: 'Le nom d’utilisateur ne doit contenir ni / ni :, ni commencer par www.',
    invalid:
      'Ce nom d’utilisateur ne convient pas : il doit avoir de 1 à 200 caractères visibles, sans espace, et ne pas commencer par client_.',
  },
} satisfies Texts
