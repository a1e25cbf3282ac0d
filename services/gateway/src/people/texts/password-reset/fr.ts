import type { Texts } from './en.ts'

export const texts = {
  title: 'Réinitialiser le mot de passe',
  lead: 'Nous envoyons un e-mail avec un lien à l’adresse e-mail de votre compte.',
  username: 'Nom d’utilisateur ou adresse e-mail',
  missing: 'Saisissez votre nom d’utilisateur ou votre adresse e-mail.',
  sent: 'S’il existe un compte avec ce nom ou cette adresse, nous avons envoyé un e-mail à son adresse e-mail. Suivez le lien qu’il contient pour choisir un nouveau mot de passe.',
  sentHint:
    'Le lien fonctionne pendant une heure. Si aucun e-mail n’arrive, regardez dans vos courriers indésirables. Un compte dont l’adresse n’a jamais été confirmée ne reçoit pas d’e-mail : adressez-vous à un administrateur.',
  back: 'Retour à la connexion',
  off: 'Ce serveur n’envoie pas d’e-mails. Demandez un nouveau mot de passe à un administrateur.',
  choose: 'Choisir un nouveau mot de passe',
  chooseLead: (user) =>
    `Il est pour le compte ${user}. Quand vous l’enregistrez, toutes vos sessions prennent fin, et les applications perdent leur accès.`,
  newPassword: 'Nouveau mot de passe',
  submit: 'Enregistrer le mot de passe',
  another: 'Obtenir un nouveau lien',
  done: 'Votre mot de passe est modifié. Connectez-vous avec le nouveau.',
} satisfies Texts
