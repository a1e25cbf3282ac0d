package com.example;

import static org.springframework.security.config.Customizer.withDefaults;
import static org.springframework.web.util.HtmlUtils.htmlEscape;

import java.util.Map;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class App {
  public static void main(String[] arguments) {
    SpringApplication.run(App.class, arguments);
  }

  /** The pages, to which users log in. Spring sends a state, a nonce and a code challenge (PKCE), and renews the session. */
  @Bean
  @Order(2)
  SecurityFilterChain pages(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    var logoutAtGatehouse = new OidcClientInitiatedLogoutSuccessHandler(clients);
    logoutAtGatehouse.setPostLogoutRedirectUri("{baseUrl}/");
    return http.authorizeHttpRequests((requests) ->
            requests.requestMatchers("/").permitAll().anyRequest().authenticated())
        .oauth2Login(withDefaults())
        .logout((logout) -> logout.logoutSuccessHandler(logoutAtGatehouse))
        .build();
  }

  @GetMapping(path = "/", produces = MediaType.TEXT_HTML_VALUE)
  String home(@AuthenticationPrincipal OidcUser user, CsrfToken csrf) {
    if (user == null) {
      return """
          <p>Nobody is logged in.</p>
          <p><a href="/oauth2/authorization/gatehouse">Log in</a></p>
          """;
    }
    String name = user.getFullName() != null ? user.getFullName() : user.getPreferredUsername();
    return """
        <p>Hello %s!</p>
        <form method="post" action="/logout">
          <input type="hidden" name="%s" value="%s">
          <button>Log out</button>
        </form>
        """.formatted(htmlEscape(name), csrf.getParameterName(), csrf.getToken());
  }

  /** The API, which programs call with an access token. */
  @Bean
  @Order(1)
  SecurityFilterChain api(HttpSecurity http) throws Exception {
    return http.securityMatcher("/api/**")
        .authorizeHttpRequests((requests) -> requests.anyRequest().hasAuthority("SCOPE_read"))
        .oauth2ResourceServer((server) -> server.jwt(withDefaults()))
        .build();
  }

  /**
   * Verifies access tokens with the published keys. By default Spring takes `JWT` alone as their type, which is `at+jwt`
   * (RFC 9068 section 2.1).
   */
  @Bean
  JwtDecoder accessTokens(@Value("${spring.security.oauth2.client.provider.gatehouse.issuer-uri}") String issuer) {
    NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
    decoder.setJwtValidator(JwtValidators.createAtJwtValidator().issuer(issuer).audience(issuer).build());
    return decoder;
  }

  @GetMapping("/api/photos")
  Map<String, String> photos(@AuthenticationPrincipal Jwt token) {
    return Map.of("photos", "of " + token.getSubject());
  }
}
