import type { Texts } from './en.ts'

export const texts = {
  heading: 'Vos informations',
  lead: 'Les applications que vous autorisez à voir votre profil reçoivent ces informations. Ce qui est vide n’est montré à personne.',
  addressByAdministrators: 'Seule l’administration peut modifier votre adresse e-mail.',
  save: 'Enregistrer',
  yes: 'oui',
  no: 'non',
  choices: {
    yes: 'Oui',
    no: 'Non',
    none: 'Non précisé',
    leave: (now) => `Laisser inchangé : ${now}`,
  },
  faults: {
    text: (label, most) => `« ${label} » doit être un texte visible de 1 à ${most} caractères.`,
    picture: (label) => `« ${label} » doit être une adresse https sans mot de passe.`,
    language: (label) => `« ${label} » doit être un code de langue, par exemple en ou de-CH.`,
    zone: (label) => `« ${label} » doit être un fuseau horaire, par exemple Europe/Berlin.`,
  },
} satisfies Texts
