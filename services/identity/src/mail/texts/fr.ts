import type { MailTexts } from './mail-texts.ts'

const onceInAnHour = 'Le lien fonctionne une seule fois, pendant une heure.'
const nothingHappens = 'Si vous n’avez rien demandé, ignorez cet e-mail. Rien ne se passe sans ce lien.'

/** The mails in French. */
export const fr: MailTexts = {
  greeting: (username) => (username === undefined ? 'Bonjour,' : `Bonjour ${username},`),
  orOpen: 'Ou ouvrez cette adresse dans votre navigateur :',
  reason: (brand) => `${brand} a envoyé cet e-mail parce que cette adresse y a été utilisée.`,
  terms: 'Conditions d’utilisation',
  privacy: 'Confidentialité',
  support: 'Assistance',
  kinds: {
    sign_up: ({ brand }) => ({
      subject: `Terminez votre inscription à ${brand}`,
      lines: [`Choisissez un nom d’utilisateur et un mot de passe pour créer votre compte ${brand}.`],
      button: 'Créer votre compte',
      after: [onceInAnHour, nothingHappens],
    }),
    sign_up_known: ({ brand, username }) => ({
      subject: `Vous avez déjà un compte ${brand}`,
      lines: [
        `Quelqu’un, probablement vous, a voulu s’inscrire à ${brand} avec cette adresse. Elle appartient au compte ${username} : connectez-vous avec ce nom ou avec cette adresse.`,
        'Si vous ne connaissez plus le mot de passe, vous pouvez le réinitialiser.',
      ],
      button: 'Réinitialiser le mot de passe',
      after: ['Si ce n’était pas vous, ignorez cet e-mail. Rien n’a changé.'],
    }),
    invitation: ({ brand }) => ({
      subject: `Vous êtes invité à rejoindre ${brand}`,
      lines: [`Un administrateur vous invite à créer un compte ${brand}.`],
      button: 'Créer votre compte',
      after: [
        'Le lien fonctionne une seule fois, pendant sept jours.',
        'Si vous ne voulez pas de compte, ignorez cet e-mail.',
      ],
    }),
    password_reset: ({ brand, username }) => ({
      subject: `Réinitialisez votre mot de passe ${brand}`,
      lines: [
        `Quelqu’un, probablement vous, a demandé à réinitialiser le mot de passe de ${username} sur ${brand}.`,
      ],
      button: 'Choisir un nouveau mot de passe',
      after: [onceInAnHour, 'Si ce n’était pas vous, ignorez cet e-mail. Votre mot de passe reste inchangé.'],
    }),
    password_changed: ({ brand, username, time }) => ({
      subject: `Votre mot de passe ${brand} a été modifié`,
      lines: [`Le mot de passe de ${username} sur ${brand} a été modifié : ${time}.`],
      button: 'Ce n’était pas moi : réinitialiser le mot de passe',
      after: ['Si c’était vous, vous n’avez rien à faire.'],
    }),
    address: ({ brand, username }) => ({
      subject: `Confirmez votre adresse e-mail pour ${brand}`,
      lines: [`Confirmez que cette adresse appartient à ${username} sur ${brand}.`],
      button: 'Confirmer l’adresse',
      after: [onceInAnHour, nothingHappens],
    }),
    address_changed: ({ brand, username, address, time }) => ({
      subject: `Votre adresse e-mail sur ${brand} a été modifiée`,
      lines: [
        `L’adresse e-mail de ${username} sur ${brand} a été modifiée : ${time}. C’est maintenant ${address}, et plus aucun e-mail n’est envoyé à cette adresse.`,
      ],
      after: ['Si ce n’était pas vous, prévenez immédiatement les responsables de ce serveur.'],
    }),
    new_login: ({ brand, username, browser, ipAddress, time }) => ({
      subject: `Nouvelle connexion à votre compte ${brand}`,
      lines: [`${username} s’est connecté avec un navigateur qui n’avait pas encore été utilisé.`],
      facts: [
        ['Navigateur', browser],
        ['Adresse IP', ipAddress],
        ['Heure', time],
      ],
      button: 'Voir votre compte',
      after: [
        'Si c’était vous, vous n’avez rien à faire. Sinon, changez votre mot de passe et mettez fin à la session sur la page de votre compte.',
      ],
    }),
    factor_added: ({ brand, username, time }) => ({
      subject: `Un moyen de connexion a été ajouté à votre compte ${brand}`,
      lines: [
        `Une clé d’accès ou une application d’authentification a été ajoutée au compte ${username} sur ${brand} : ${time}.`,
      ],
      button: 'Voir votre compte',
      after: [
        'Si c’était vous, vous n’avez rien à faire. Sinon, changez immédiatement votre mot de passe et vérifiez les moyens de connexion sur la page de votre compte.',
      ],
    }),
    factor_removed: ({ brand, username, time }) => ({
      subject: `Un moyen de connexion a été retiré de votre compte ${brand}`,
      lines: [
        `Une clé d’accès ou une application d’authentification a été retirée du compte ${username} sur ${brand} : ${time}.`,
      ],
      button: 'Voir votre compte',
      after: [
        'Si c’était vous, vous n’avez rien à faire. Sinon, changez immédiatement votre mot de passe et vérifiez les moyens de connexion sur la page de votre compte.',
      ],
    }),
    account_connected: ({ brand, username, connection, time }) => ({
      subject: `Un moyen de connexion a été ajouté à votre compte ${brand}`,
      lines: [`Un compte ${connection} a été associé au compte ${username} sur ${brand} : ${time}.`],
      button: 'Voir les comptes associés',
      after: [
        'Si c’était vous, vous n’avez rien à faire. Sinon, dissociez-le immédiatement et changez votre mot de passe.',
      ],
    }),
    recovery_code_used: ({ brand, username, time }) => ({
      subject: `Un code de récupération de votre compte ${brand} a été utilisé`,
      lines: [
        `Quelqu’un s’est connecté au compte ${username} sur ${brand} avec un code de récupération : ${time}. Ce code ne fonctionne plus.`,
      ],
      button: 'Voir votre compte',
      after: [
        'Si c’était vous, vous n’avez rien à faire. Sinon, changez immédiatement votre mot de passe et vérifiez les moyens de connexion sur la page de votre compte.',
      ],
    }),
    account_deleted: ({ brand, username, time }) => ({
      subject: `Votre compte sur ${brand} a été supprimé`,
      lines: [
        `Le compte ${username} sur ${brand} a été supprimé à votre demande : ${time}.`,
        'Toutes vos sessions sont fermées, les applications n’ont plus d’accès, et ce qui était enregistré à votre sujet est supprimé.',
      ],
      after: ['Si ce n’était pas vous, prévenez immédiatement les responsables de ce serveur.'],
    }),
    organization_invitation: ({ brand, organization, inviter }) => ({
      subject: `Vous êtes invité à rejoindre une organisation sur ${brand}`,
      lines: [`Vous êtes invité à rejoindre une organisation sur ${brand}.`],
      facts: [
        ['Organisation', organization],
        ['Invité par', inviter],
      ],
      button: 'Voir l’invitation',
      after: [
        'Le lien fonctionne une seule fois, pendant sept jours.',
        'Si vous ne voulez pas la rejoindre, ignorez cet e-mail.',
      ],
    }),
    domain_missing: ({ brand, organization, domain, time }) => ({
      subject: `L’enregistrement DNS de votre domaine manque sur ${brand}`,
      lines: [
        `L’enregistrement DNS qui prouve un domaine de votre organisation sur ${brand} est introuvable.`,
        `S’il n’est pas rétabli d’ici là, l’organisation perdra le domaine : ${time}.`,
      ],
      facts: [
        ['Organisation', organization],
        ['Domaine', domain],
      ],
      button: 'Voir vos organisations',
      after: [],
    }),
    domain_lost: ({ brand, organization, domain }) => ({
      subject: `Votre organisation a perdu un domaine sur ${brand}`,
      lines: [
        `L’enregistrement DNS qui prouve un domaine de votre organisation sur ${brand} manque depuis sept jours : l’organisation a donc perdu le domaine.`,
      ],
      facts: [
        ['Organisation', organization],
        ['Domaine', domain],
      ],
      button: 'Voir vos organisations',
      after: [
        'Pour le retrouver, rétablissez l’enregistrement et vérifiez le domaine sur la page de l’organisation.',
      ],
    }),
  },
}
