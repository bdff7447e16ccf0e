// A program that uses the client that openapi-generator generates. It prints one line for each step.
use client::apis::articles_api::{create_article, get_article, GetArticleError};
use client::apis::configuration::{ApiKey, Configuration};
use client::apis::Error;
use client::models::{ArticleBody, ContentType, CustomFieldsChanges, Status};

fn main() {
    let key = std::env::var("BLOG_KEY").unwrap();
    let blog = Configuration {
        base_path: std::env::var("BLOG_URL").unwrap(),
        api_key: Some(ApiKey { prefix: None, key }),
        ..Configuration::new()
    };

    let custom = CustomFieldsChanges {
        rating: Some(Some(4.5)),
        steps: Some(Some(vec!["Boil".into(), "Eat".into()])),
        ..CustomFieldsChanges::new()
    };
    let body = ArticleBody {
        content: Some("Water, *salt*.".into()),
        content_type: Some(ContentType::Markdown),
        status: Some(Status::Published),
        custom: Some(Box::new(custom)),
        ..ArticleBody::new("Soup".into())
    };
    let created = create_article(&blog, body, None, None, None).unwrap();
    println!("created {} {} {}", created.slug, created.status, created.content_type);

    let article = get_article(&blog, &created.slug, Some("*,custom")).unwrap();
    let custom = article.custom.unwrap();
    println!("read {} {:?} {:?}", article.title, custom.rating, custom.steps);

    match get_article(&blog, "no-such-article", None) {
        Err(Error::ResponseError(response)) => match response.entity {
            Some(GetArticleError::Status404(problem)) => println!("missing {} {:?}", problem.status, problem.code),
            other => println!("unexpected {other:?}"),
        },
        other => println!("unexpected {other:?}"),
    }
}
