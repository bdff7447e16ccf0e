// A program that uses the client that openapi-generator generates. It prints one line for each step.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"example.org/blog/client"
)

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("BLOG_URL")}}
	configuration.AddDefaultHeader("X-API-KEY", os.Getenv("BLOG_KEY"))
	blog, ctx := client.NewAPIClient(configuration), context.Background()

	articles, _, err := blog.ArticlesAPI.ListArticles(ctx).Page(1).PageSize(10).Execute()
	check(err)
	for _, article := range articles {
		fmt.Println("listed", article.Title, article.Category.Name)
	}

	custom := client.NewCustomFieldsChanges()
	custom.SetRating(4.5)
	custom.SetLevel("easy")
	custom.SetSteps([]string{"Boil", "Eat"})
	body := client.NewArticleBody("Soup")
	body.SetContent("Water, *salt*.")
	body.SetContentType(client.CONTENTTYPE_MARKDOWN)
	body.SetStatus(client.STATUS_PUBLISHED)
	body.SetCustom(*custom)
	created, _, err := blog.ArticlesAPI.CreateArticle(ctx).ArticleBody(*body).Execute()
	check(err)
	fmt.Println("created", created.Slug, created.Status, created.ContentType)

	rated, _, err := blog.ArticlesAPI.ListArticles(ctx).CustomRating([]float32{4.5}).Fields("*,custom").Execute()
	check(err)
	for _, article := range rated {
		fmt.Println("rated", article.Title, *article.Custom.Rating, article.Custom.Steps)
	}

	_, _, err = blog.ArticlesAPI.GetArticle(ctx, "no-such-article").Execute()
	var failure *client.GenericOpenAPIError
	if errors.As(err, &failure) {
		problem := failure.Model().(client.Problem)
		fmt.Println("missing", problem.Status, problem.Code)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
